import HTTPTypes
import Testing

@testable import GatewayHTTP

/// A route, and the callers that it allows.
struct GuardedRoute: Sendable, CustomStringConvertible {
    enum Kind: Sendable {
        /// Only the instance's admin token.
        case instance
        /// Back-ends with a scope.
        case backend(String)
        /// Devices; back-ends with `consumers:write`.
        case device
    }

    var method: HTTPRequest.Method
    var path: String
    var kind: Kind
    var description: String { "\(method) \(path)" }

    static let all: [GuardedRoute] = [
        .init(method: .post, path: "/v1/brands", kind: .instance),
        .init(method: .get, path: "/v1/brands", kind: .instance),
        .init(method: .get, path: "/v1/brands/acme", kind: .backend("brand:admin")),
        .init(method: .patch, path: "/v1/brands/acme", kind: .backend("brand:admin")),
        .init(method: .delete, path: "/v1/brands/acme", kind: .instance),
        .init(method: .put, path: "/v1/brands/acme/apps/ios", kind: .backend("brand:admin")),
        .init(method: .get, path: "/v1/brands/acme/apps/ios", kind: .backend("brand:admin")),
        .init(method: .delete, path: "/v1/brands/acme/apps/ios", kind: .backend("brand:admin")),
        .init(method: .get, path: "/v1/brands/acme/apps", kind: .backend("brand:admin")),
        .init(method: .post, path: "/v1/brands/acme/credentials", kind: .backend("brand:admin")),
        .init(method: .get, path: "/v1/brands/acme/credentials", kind: .backend("brand:admin")),
        .init(method: .delete, path: "/v1/brands/acme/credentials/x", kind: .backend("brand:admin")),
        .init(method: .post, path: "/v1/brands/acme/events", kind: .backend("events:write")),
        .init(method: .post, path: "/v1/brands/acme/consumers/u/sessions", kind: .backend("sessions:mint")),
        .init(method: .delete, path: "/v1/brands/acme/consumers/u/sessions", kind: .backend("consumers:write")),
        .init(method: .get, path: "/v1/brands/acme/consumers/u/devices", kind: .backend("consumers:read")),
        .init(method: .get, path: "/v1/brands/acme/consumers/u", kind: .backend("consumers:read")),
        .init(method: .get, path: "/v1/brands/acme/consumers/u/export", kind: .backend("consumers:write")),
        .init(method: .post, path: "/v1/brands/acme/messages/m/reveal", kind: .backend("consumers:read")),
        .init(method: .post, path: "/v1/brands/acme/deliveries/1/retry", kind: .backend("deliveries:manage")),
        .init(method: .post, path: "/v1/brands/acme/deliveries/replay", kind: .backend("deliveries:manage")),
        .init(method: .get, path: "/v1/brands/acme/unreachable", kind: .backend("consumers:read")),
        .init(method: .get, path: "/v1/brands/acme/unreachable/export", kind: .backend("consumers:read")),
        .init(method: .post, path: "/v1/operators", kind: .instance),
        .init(method: .patch, path: "/v1/operators/dana", kind: .instance),
        .init(method: .get, path: "/v1/brands/acme/deliveries", kind: .backend("deliveries:read")),
        .init(method: .get, path: "/v1/brands/acme/deliveries/1", kind: .backend("deliveries:read")),
        .init(method: .delete, path: "/v1/brands/acme/sessions/current", kind: .device),
        .init(method: .put, path: "/v1/brands/acme/apps/ios/devices/d", kind: .device),
        .init(method: .get, path: "/v1/brands/acme/apps/ios/devices/d", kind: .device),
        .init(method: .delete, path: "/v1/brands/acme/apps/ios/devices/d", kind: .device),
        .init(method: .get, path: "/v1/brands/acme/unread", kind: .device),
        .init(method: .get, path: "/v1/brands/acme/messages", kind: .device),
        .init(method: .get, path: "/v1/brands/acme/proactive", kind: .device),
        .init(method: .post, path: "/v1/brands/acme/conversations/c/read", kind: .device),
        .init(method: .post, path: "/v1/brands/acme/messages/m/tap", kind: .device),
        .init(method: .post, path: "/v1/brands/acme/receipts", kind: .device),
    ]
}

@Suite("Credentials", .timeLimit(.minutes(10)))
struct AuthenticationTests {
    @Test("every route rejects unauthenticated callers before it reads the body")
    func unknown() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await api.makeBrand("other")
            let account = try await api.makeAccount("acme", "events:write")
            guard case .basic(let id, _) = account else {
                Issue.record("a credential of another kind")
                return
            }
            let unknown: [Credential] = [
                .none, .raw("Basic"), .raw("Basic !!!"), .raw("Digest abc"), .raw("Basic \u{E9}"),
                .basic("nobody", "secret"), .basic(id, "wrong"), .basic(id, ""),
                .bearer("abc"), .bearer(String(repeating: "a", count: 43)),
            ]
            let elsewhere = [
                try await api.makeAccount("other", "brand:admin"), try await api.makeSession(brand: "other"),
            ]
            for route in GuardedRoute.all {
                // Without a brand in the path there is no caller of another brand.
                for credential in unknown + (route.path.hasPrefix("/v1/brands/") ? elsewhere : []) {
                    let reply = try await api.call(route.method, route.path, as: credential, "not json")
                    #expect(reply.status == 401, "\(route) as \(credential): \(reply.text)")
                    #expect(reply.headers[.wwwAuthenticate] != nil, "\(route) as \(credential)")
                }
            }
        }
    }

    @Test("an unknown user and a wrong secret get the same response (R2)")
    func indistinguishable() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            guard case .basic(let id, _) = try await api.makeAccount("acme", "events:write") else {
                Issue.record("a credential of another kind")
                return
            }
            let known = try await api.call(.post, "/v1/brands/acme/events", as: .basic(id, "wrong"), "{}")
            let unknown = try await api.call(.post, "/v1/brands/acme/events", as: .basic("no", "wrong"), "{}")
            #expect(known["detail"] == unknown["detail"])
            #expect(known["code"] == unknown["code"])
            #expect(known.headers[values: .wwwAuthenticate] == unknown.headers[values: .wwwAuthenticate])
        }
    }

    @Test("every route rejects an authenticated caller without the scope")
    func scopes() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let reader = try await api.makeAccount("acme", "events:read")
            let session = try await api.makeSession("u", device: "d")
            for route in GuardedRoute.all {
                let reply = try await api.call(route.method, route.path, as: reader, "not json")
                #expect(reply.status == 403, "\(route): \(reply.text)")
                #expect(reply["code"]?.string == "forbidden", "\(route)")
                if case .device = route.kind { continue }
                let device = try await api.call(route.method, route.path, as: session, "not json")
                #expect(device.status == 403, "\(route): \(device.text)")
            }
        }
    }

    @Test("each scope allows its own routes, and brand:admin all routes of the brand")
    func allowed() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let administrator = try await api.makeAccount("acme", "brand:admin")
            for route in GuardedRoute.all where route.path != "/v1/brands/acme/sessions/current" {
                let query = route.path.contains("?") ? "" : "?consumer=u"
                var accounts = [administrator]
                switch route.kind {
                case .instance: continue
                case .backend(let scope): accounts.append(try await api.makeAccount("acme", scope))
                case .device: accounts.append(try await api.makeAccount("acme", "consumers:write"))
                }
                // A deletion would remove what later routes need; an invalid body prevents other changes.
                for account in accounts where route.method != .delete {
                    let reply = try await api.call(route.method, route.path + query, as: account, "not json")
                    #expect(reply.status != 401 && reply.status != 403, "\(route): \(reply.text)")
                }
            }
        }
    }

    @Test("a caller that is not a consumer must name one")
    func consumerNeeded() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let reply = try await api.call(.get, "/v1/brands/acme/unread")
            reply.expectProblem(422, "invalid_request")
            #expect(reply.pointers == ["/consumer"])
            try await api.call(.get, "/v1/brands/nope/unread?consumer=u").expectProblem(404, "not_found")
        }
    }

    @Test("a session acts for its own consumer only (R6)")
    func otherConsumer() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let session = try await api.makeSession("u-1")
            #expect(try await api.call(.get, "/v1/brands/acme/unread?consumer=u-1", as: session).status == 200)
            let other = try await api.call(.get, "/v1/brands/acme/unread?consumer=u-2", as: session)
            other.expectProblem(403, "forbidden")
        }
    }

    @Test("a revoked account is rejected once the response was sent")
    func revocation() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let account = try await api.makeAccount("acme", "events:write")
            guard case .basic(let id, _) = account else {
                Issue.record("a credential of another kind")
                return
            }
            #expect(try await api.call(.post, "/v1/brands/acme/events", as: account, "[]").status == 202)
            #expect(try await api.call(.delete, "/v1/brands/acme/credentials/\(id)").status == 204)
            try await api.call(.post, "/v1/brands/acme/events", as: account, "[]").expectProblem(401, "unauthorized")
            try await api.call(.delete, "/v1/brands/acme/credentials/\(id)").expectProblem(404, "not_found")
        }
    }
}
