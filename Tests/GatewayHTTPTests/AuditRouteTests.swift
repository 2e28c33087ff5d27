import HTTPTypes
import Testing

@testable import GatewayHTTP

@Suite("The audit trail", .timeLimit(.minutes(10)))
struct AuditRouteTests {
    @Test("changes are listed newest first, with caller, change and request, without values")
    func trail() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let account = try await api.makeAccount("acme", "brand:admin")
            guard case .basic(let id, let secret) = account else {
                Issue.record("a credential of another kind")
                return
            }
            let requestID = HTTPField.Name("X-Request-Id") ?? .age
            let patched = try await api.call(
                .patch,
                "/v1/brands/acme",
                as: account,
                #"{"name":"Newer Name","settings":{"preview":"none"}}"#,
                headers: [requestID: "my-request"]
            )
            #expect(patched.status == 200)
            let trail = try await api.call(.get, "/v1/brands/acme/audit", as: account)
            let items = try #require(try trail.json()["items"]).items
            #expect(
                items.map { $0["action"]?.string }
                    == ["brand.changed", "credential.issued", "app.created", "brand.created"]
            )
            let newest = try #require(items.first)
            let members: Set<String> = ["id", "at", "brand", "actor", "action", "target", "changes", "requestId"]
            #expect(newest.names == members)
            #expect(newest["actor"]?["kind"]?.string == "serviceAccount" && newest["actor"]?["id"]?.string == id)
            #expect(newest["changes"]?.items.map(\.string) == ["name", "settings.preview"])
            #expect(newest["requestId"]?.string == "my-request" && newest["target"]?.string == "acme")
            #expect(items[1]["actor"]?["kind"]?.string == "admin" && items[1]["target"]?.string == id)
            for value in [secret, "Newer Name", "PRIVATE KEY", "none"] { #expect(!trail.text.contains(value)) }
        }
    }

    @Test("a back-end's changes to consumers and subscriptions are listed, and created sessions by their number")
    func consumers() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let account = try await api.makeAccount("acme", "consumers:write", "sessions:mint", "events:read")
            guard case .basic(let id, _) = account else {
                Issue.record("a credential of another kind")
                return
            }
            let consumer = "/v1/brands/acme/consumers/u-1"
            let calls: [(HTTPRequest.Method, String, String?)] = [
                (.post, consumer + "/sessions", "{}"), (.post, consumer + "/sessions", "{}"),
                (.patch, consumer, #"{"name":"Ada Secret","email":null}"#), (.patch, consumer, "{}"),
                (.get, consumer + "/export", nil), (.delete, consumer + "/sessions", nil),
                (.get, "/v1/brands/acme/outbound/crm", nil), (.delete, "/v1/brands/acme/outbound/crm", nil),
                // These requests change nothing.
                (.delete, "/v1/brands/acme/outbound/crm", nil), (.get, consumer + "x/export", nil),
                (.delete, consumer + "x/sessions", nil), (.patch, consumer + "x", #"{"name":"x"}"#),
            ]
            for (place, call) in calls.enumerated() {
                let reply = try await api.call(call.0, call.1, as: account, call.2)
                let expected =
                    place == 10 ? 204 : place > 7 ? 404 : [200, 201, 204].contains(reply.status) ? reply.status : 200
                #expect(reply.status == expected, "\(call.1): \(reply.text)")
            }
            let trail = try await api.call(.get, "/v1/brands/acme/audit")
            let items = (try trail.json()["items"]?.items ?? []).filter { $0["actor"]?["id"]?.string == id }
            let reported = items.map { "\($0["action"]?.string ?? "") \($0["target"]?.string ?? "")" }
            #expect(
                reported == [
                    "subscription.deleted crm", "consumer.logged_out u-1", "consumer.exported u-1",
                    "consumer.changed u-1", "sessions.minted \(id)",
                ]
            )
            #expect(items[3]["changes"]?.items.map(\.string) == ["email", "name"])
            #expect(items.map { $0["count"]?.int } == [nil, nil, nil, nil, 2])
            #expect(!trail.text.contains("Ada Secret"))
        }
    }

    @Test("the trail is paged and filtered by time")
    func pages() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            for number in 0..<5 {
                let body = #"{"name":"name \#(number)"}"#
                #expect(try await api.call(.patch, "/v1/brands/acme", body).status == 200)
            }
            var ids: [String] = []
            var path: String? = "/v1/brands/acme/audit?limit=3"
            while let next = path {
                let page = try await api.call(.get, next)
                ids += try #require(try page.json()["items"]).items.compactMap { $0["id"]?.string }
                path = page["nextCursor"]?.string.map { "/v1/brands/acme/audit?limit=3&cursor=\($0)" }
            }
            #expect(ids.count == 7 && Set(ids).count == 7)
            #expect(ids.compactMap { Int($0) } == ids.compactMap { Int($0) }.sorted(by: >))
            for (query, count) in [("since=2000-01-01T00:00:00Z", 7), ("until=2000-01-01T00:00:00Z", 0)] {
                let found = try await api.call(.get, "/v1/brands/acme/audit?" + query)
                #expect(try found.json()["items"]?.items.count == count)
            }
            for bad in ["since=x", "until=2026", "cursor=YQ", "cursor=!", "limit=0"] {
                let refused = try await api.call(.get, "/v1/brands/acme/audit?" + bad)
                refused.expectProblem(422, "invalid_request")
                #expect(refused.pointers == ["/" + bad.prefix { $0 != "=" }])
            }
        }
    }

    @Test("a brand's trail is for its administrators, the instance's, with those of deleted brands, for the operator")
    func whoMay() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await api.makeBrand("other")
            let owner = try await api.makeAccount("acme", "brand:admin")
            let reader = try await api.makeAccount("acme", "deliveries:read")
            let session = try await api.makeSession()
            let stranger = try await api.makeAccount("other", "brand:admin")
            let path = "/v1/brands/acme/audit"
            try await api.call(.get, path, as: .none).expectProblem(401, "unauthorized")
            try await api.call(.get, path, as: stranger).expectProblem(401, "unauthorized")
            try await api.call(.get, path, as: reader).expectProblem(403, "forbidden")
            try await api.call(.get, path, as: session).expectProblem(403, "forbidden")
            for credential in [owner, session] {
                try await api.call(.get, "/v1/audit", as: credential).expectProblem(403, "forbidden")
            }
            try await api.call(.get, "/v1/audit", as: .none).expectProblem(401, "unauthorized")
            let own = try await api.call(.get, path, as: owner)
            #expect(try own.json()["items"]?.items.allSatisfy { $0["brand"]?.string == "acme" } == true)

            #expect(try await api.call(.delete, "/v1/brands/acme").status == 204)
            try await api.call(.get, path).expectProblem(404, "not_found")
            let all = try await api.call(.get, "/v1/audit")
            let items = try #require(try all.json()["items"]).items
            #expect(items.first?["action"]?.string == "brand.deleted" && items.first?["brand"]?.string == "acme")
            #expect(Set(items.compactMap { $0["brand"]?.string }) == ["acme", "other"])
            try await api.makeBrand()
            #expect(try await api.call(.get, path).json()["items"]?.items.count == 2, "a new brand has a new trail")
        }
    }
}
