import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing
import TextFormats

@testable import GatewayHTTP

@Suite("Conventions of all routes", .timeLimit(.minutes(10)))
struct ConventionTests {
    private static let requestID = HTTPField.Name("X-Request-Id") ?? .age

    @Test("an unknown path is 404, another method 405 with Allow, all in one format")
    func routing() async throws {
        try await TestGateway.run { api in
            for path in ["/", "/nope", "/v1", "/v1/brands/acme/nope", "/v1/brands/acme/inbox"] {
                try await api.call(.get, path, as: .none).expectProblem(404, "not_found")
            }
            let wrong = try await api.call(.put, "/v1/brands/acme/events", as: .none)
            wrong.expectProblem(405, "method_not_allowed")
            #expect(wrong.headers[.allow] == "POST")
            let brand = try await api.call(.post, "/v1/brands/acme", as: .none)
            #expect(brand.headers[.allow] == "DELETE, GET, HEAD, PATCH")
        }
    }

    @Test("a path with an empty segment, or with a slash at the end, is another path than the one without")
    func emptySegments() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            for path in [
                "//", "/v1//brands/acme", "/v1/brands//acme", "//v1/brands/acme", "/v1/brands/acme/",
                "/v1/brands/acme//",
                "/v1/brands/", "/v1/brands//", "/livez/", "/v1/brands//events",
            ] {
                for method in [HTTPRequest.Method.get, .delete, .post, .put] {
                    try await api.call(method, path).expectProblem(404, "not_found")
                }
            }
            #expect(try await api.call(.get, "/v1/brands/acme").status == 200)
            #expect(try await api.call(.delete, "/v1/brands/acme").status == 204)
        }
    }

    @Test("HTTP/1.1 names exactly one host, and responses keep the order of the requests")
    func hosts() async throws {
        try await TestGateway.run(.live) { api in
            func response(_ request: String) async throws -> Reply {
                let client = try RawClient(port: try #require(api.client.port))
                client.send(request)
                return try Reply(raw: try #require(await client.readToEnd()))
            }
            let end = "Connection: close\r\n\r\n"
            for hosts in ["", "Host: a\r\nHost: a\r\n", "Host: a\r\nhost: b\r\n"] {
                try await response("GET /livez HTTP/1.1\r\n\(hosts)\(end)").expectProblem(400, "invalid_request")
                try await response("GET /nothing HTTP/1.1\r\n\(hosts)\(end)").expectProblem(400, "invalid_request")
                let upgrade =
                    "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                let window = "GET /v1/brands/acme/window HTTP/1.1\r\n\(hosts)\(upgrade)Connection: Upgrade\r\n\r\n"
                try await response(window).expectProblem(400, "invalid_request")
            }
            for hosts in ["Host: a\r\n", "Host:\r\n", "host: 127.0.0.1:1\r\n"] {
                #expect(try await response("GET /livez HTTP/1.1\r\n\(hosts)\(end)").status == 200)
            }
            #expect(try await response("GET /livez HTTP/1.0\r\n\(end)").status == 200)
            try await response("GET /livez HTTP/1.0\r\nHost: a\r\nHost: b\r\n\(end)").expectProblem(
                400,
                "invalid_request"
            )
            // In order, and the connection stays open.
            let client = try RawClient(port: try #require(api.client.port))
            client.send(
                "GET /livez HTTP/1.1\r\nHost: a\r\n\r\nGET /livez HTTP/1.1\r\n\r\nGET /livez HTTP/1.1\r\nHost: a\r\n\(end)"
            )
            let all = try #require(await client.readToEnd())
            let statuses = all.split(separator: "HTTP/1.1 ").map { $0.prefix(3) }
            #expect(statuses == ["200", "400", "200"])
        }
    }

    @Test("at most 50 invalid members are named, and checking stops there")
    func manyErrors() async throws {
        try await TestGateway.run(started: false) { api in
            func create(_ count: Int) async throws -> Reply {
                let others = (0..<count).map { #","x\#($0)":1"# }.joined()
                return try await api.call(.post, "/v1/brands", #"{"id":"a","name":"n"\#(others)}"#)
            }
            for (count, named) in [(1, 1), (50, 50), (51, 50), (60_000, 50)] {
                let refused = try await create(count)
                refused.expectProblem(422, "invalid_request")
                #expect(refused.pointers.count == named)
                #expect(refused["detail"]?.string?.contains("More than 50") == (count > 50))
            }
        }
        var checks = FieldChecks()
        var read = 0
        for place in 0..<1000 {
            let _: Int? = checks.collect { () throws(Problem) in
                read += 1
                throw Problem(invalid: "/\(place)", "is wrong")
            }
        }
        #expect(read == Problem.maxErrors + 1)
        #expect(checks.problems.count == read)
        #expect(checks.text(BodyMember(at: .pointer("/text"), value: .string("x"))) == nil)
    }

    @Test("a valid request id is returned, anything else is replaced")
    func requestIDs() async throws {
        try await TestGateway.run { api in
            let own = try await api.call(.get, "/nope", as: .none, headers: [Self.requestID: "abc-1"])
            #expect(own.headers[Self.requestID] == "abc-1")
            #expect(own["requestId"]?.string == "abc-1")
            for bad in [String(repeating: "a", count: 129), "a b", ""] {
                let made = try await api.call(.get, "/livez", as: .none, headers: [Self.requestID: bad])
                #expect(made.headers[Self.requestID]?.count == 32)
            }
        }
    }

    @Test("type and size of bodies are checked first")
    func bodies() async throws {
        try await TestGateway.run { api in
            let wrongType = try await api.call(.post, "/v1/brands", "{}", type: "text/plain")
            wrongType.expectProblem(415, "unsupported_media_type")
            let charset = try await api.call(.post, "/v1/brands", "{}", type: "application/json; charset=latin1")
            charset.expectProblem(415, "unsupported_media_type")
            try await api.call(.post, "/v1/brands", "").expectProblem(400, "invalid_request")
            for text in ["{", "[]", "5", "null", #"{"id":"a"} x"#, #"{"a":"\#u{0}"}"#] {
                try await api.call(.post, "/v1/brands", text).expectProblem(400, "invalid_request")
            }
            let deep = #"{"a":"# + String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000) + "}"
            try await api.call(.post, "/v1/brands", deep).expectProblem(400, "invalid_request")
            try await api.call(.post, "/v1/brands", #"{"id":"a","id":"b","name":"n"}"#).expectProblem(
                422,
                "invalid_request"
            )
            let nested = #"{"id":"a","name":"n","settings":{"preview":"full","preview":"none"}}"#
            try await api.call(.post, "/v1/brands", nested).expectProblem(422, "invalid_request")
            let long = #"{"id":"a","name":""# + String(repeating: "x", count: 1 << 20) + #""}"#
            try await api.call(.post, "/v1/brands", long).expectProblem(413, "payload_too_large")
            try await api.call(.post, "/v1/brands", bytes: [0x7B, 0xFF, 0x7D]).expectProblem(400, "invalid_request")
            #expect(try await api.call(.get, "/v1/brands").json()["items"]?.items.isEmpty == true)
        }
    }

    @Test("path ids are decoded exactly once")
    func pathIDs() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let session = try await api.makeSession("a%2Fb%20%C3%A9%252F")
            let made = try await api.register("d%2F1", as: session)
            #expect(made.status == 201)
            #expect(made["deviceId"]?.string == "d/1")
            #expect(made["consumer"]?.string == "a/b é%2F")
            let found = try await api.call(.get, "/v1/brands/acme/apps/ios/devices/d%2f1", as: session)
            #expect(found.status == 200)
            for bad in ["%", "%2", "%zz", "%ff", "%c3"] {
                let path = "/v1/brands/acme/apps/ios/devices/\(bad)"
                try await api.call(.get, path, as: session).expectProblem(400, "invalid_request")
            }
            for bad in ["%00", "%0A", "%C2%85", String(repeating: "x", count: 257)] {
                let refused = try await api.call(.get, "/v1/brands/acme/apps/ios/devices/\(bad)", as: session)
                refused.expectProblem(422, "invalid_request")
                #expect(refused.pointers == ["/deviceId"])
            }
        }
    }

    @Test("lists are paged by cursor and reject invalid limits and cursors")
    func lists() async throws {
        try await TestGateway.run { api in
            for id in ["a", "b", "c"] {
                _ = try await api.call(.post, "/v1/brands", #"{"id":"\#(id)","name":"n"}"#)
            }
            let first = try await api.call(.get, "/v1/brands?limit=2")
            #expect(try first.json()["items"]?.items.compactMap { $0["id"]?.string } == ["a", "b"])
            let cursor = try #require(first["nextCursor"]?.string)
            let second = try await api.call(.get, "/v1/brands?limit=2&cursor=\(cursor)")
            #expect(try second.json()["items"]?.items.compactMap { $0["id"]?.string } == ["c"])
            #expect(try second.json()["nextCursor"] == .null)
            for bad in ["limit=0", "limit=501", "limit=x", "limit=1&limit=2", "cursor=!", "cursor=YQ=="] {
                let refused = try await api.call(.get, "/v1/brands?\(bad)")
                refused.expectProblem(422, "invalid_request")
                #expect(refused.pointers == ["/" + bad.prefix { $0 != "=" }])
            }
        }
    }

    @Test("a cursor is valid for its own list only, cannot be forged, and survives deletions")
    func cursors() async throws {
        let seal = CursorSeal(key: .init(repeating: 1, count: 32))
        let cursor = seal.seal("b", of: "list")
        #expect(seal.open(cursor, of: "list") == "b")
        #expect(seal.open(cursor, of: "other") == nil)
        #expect(CursorSeal(key: .init(repeating: 2, count: 32)).open(cursor, of: "list") == nil)
        for index in cursor.indices {
            let other: Character = cursor[index] == "A" ? "B" : "A"
            let changed = cursor.replacingCharacters(in: index...index, with: String(other))
            #expect(seal.open(changed, of: "list") == nil)
        }
        try await TestGateway.run { api in
            for id in ["a", "b", "c", "d"] {
                _ = try await api.call(.post, "/v1/brands", #"{"id":"\#(id)","name":"n"}"#)
                for app in ["x", "y", "z"] {
                    _ = try await api.call(
                        .put,
                        "/v1/brands/\(id)/apps/\(app)",
                        #"{"platform":"ios","apns":\#(API.apns)}"#
                    )
                }
            }
            let first = try await api.call(.get, "/v1/brands?limit=2")
            let next = try #require(first["nextCursor"]?.string)
            // The item that it names is deleted, and so is the next one.
            for id in ["b", "c"] { #expect(try await api.call(.delete, "/v1/brands/\(id)").status == 204) }
            let rest = try await api.call(.get, "/v1/brands?limit=2&cursor=\(next)")
            #expect(try rest.json()["items"]?.items.compactMap { $0["id"]?.string } == ["d"])
            let apps = try await api.call(.get, "/v1/brands/a/apps?limit=1")
            let ofA = try #require(apps["nextCursor"]?.string)
            try await api.call(.get, "/v1/brands/d/apps?cursor=\(ofA)").expectProblem(422, "invalid_request")
            try await api.call(.get, "/v1/brands?cursor=\(ofA)").expectProblem(422, "invalid_request")
            #expect(try await api.call(.get, "/v1/brands/a/apps?cursor=\(ofA)").status == 200)
        }
    }

    @Test("the description is served, and not again to a caller that has it")
    func description() async throws {
        try await TestGateway.run { api in
            let first = try await api.call(.get, "/openapi.yaml", as: .none)
            #expect(first.status == 200 && first.text.hasPrefix("openapi: 3.1.0"))
            #expect(first.headers[.contentType] == "application/yaml")
            let tag = try #require(first.headers[.eTag])
            for known in [tag, "W/" + tag, "\"x\", \(tag)", "*"] {
                let again = try await api.call(.get, "/openapi.yaml", as: .none, headers: [.ifNoneMatch: known])
                #expect(again.status == 304 && again.text.isEmpty && again.headers[.eTag] == tag)
            }
            #expect(try await api.call(.get, "/openapi.yaml", headers: [.ifNoneMatch: "\"x\""]).status == 200)
        }
    }

    @Test("liveness needs no credential, readiness a running core, metrics a credential from other hosts")
    func health() async throws {
        try await TestGateway.run { api in
            #expect(try await api.call(.get, "/livez", as: .none).status == 200)
            #expect(try await api.call(.head, "/livez", as: .none).status == 200)
            #expect(try await api.call(.get, "/readyz", as: .none).status == 200)
            try await api.call(.get, "/metrics", as: .none).expectProblem(401, "unauthorized")
            #expect(try await api.call(.get, "/metrics").text == "# a test\n")
        }
        try await TestGateway.run(.live) { api in
            let scraped = try await api.call(.get, "/metrics", as: .none)
            #expect(scraped.text == "# a test\n")
            for accept in ["text/plain", "application/openmetrics-texts", "*/*"] {
                let text = try await api.call(.get, "/metrics", as: .none, headers: [.accept: accept]).text
                #expect(text == scraped.text)
            }
            // Prometheus sends this.
            let accept = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
            let open = try await api.call(.get, "/metrics", as: .none, headers: [.accept: accept])
            #expect(open.text == "# EOF\n")
            let type = "application/openmetrics-text; version=1.0.0; charset=utf-8"
            #expect(open.headers[.contentType] == type)
        }
        try await TestGateway.run(started: false) { api in
            try await api.call(.get, "/readyz", as: .none).expectProblem(503, "overloaded")
        }
    }

    @Test("a connection stays open after a response without a body and after a rejected body")
    func liveConnection() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let deleted = try await api.call(.delete, "/v1/brands/acme/apps/ios")
            #expect(deleted.status == 204)
            #expect(deleted.text.isEmpty)
            let long = #"{"id":"a","name":""# + String(repeating: "x", count: 3 << 20) + #""}"#
            try await api.call(.post, "/v1/brands", long).expectProblem(413, "payload_too_large")
            let batch = "[" + String(repeating: " ", count: 3 << 20) + "]"
            let accepted = try await api.call(.post, "/v1/brands/acme/events", batch)
            #expect(accepted.status == 202)
            try await api.call(.put, "/v1/brands").expectProblem(405, "method_not_allowed")
            #expect(try await api.call(.get, "/v1/brands/acme").status == 200)
        }
    }

    @Test("private data is not cached, and no browser treats it as another type")
    func caching() async throws {
        try await TestGateway.run { api in
            let options = try #require(HTTPField.Name("X-Content-Type-Options"))
            try await api.makeBrand()
            let session = try await api.makeSession(device: "d-1")
            _ = try await api.register("d-1", as: session)
            try await api.post("e-1")
            var replies = [
                try await api.call(.post, "/v1/brands/acme/consumers/u-1/sessions", "{}"),
                try await api.call(.post, "/v1/brands/acme/events", "{}"), try await api.register("d-1", as: session),
            ]
            for path in ["", "/export", "/devices"] {
                replies.append(try await api.call(.get, "/v1/brands/acme/consumers/u-1\(path)"))
            }
            for path in ["unread", "messages?conversation=c-1", "apps/ios/devices/d-1", "proactive"] {
                replies.append(try await api.call(.get, "/v1/brands/acme/\(path)", as: session))
            }
            for path in ["", "/deliveries", "/credentials", "/apps/ios", "/outbound/crm", "/audit", "/nothing"] {
                replies.append(try await api.call(.get, "/v1/brands/acme\(path)"))
            }
            replies.append(try await api.call(.delete, "/v1/brands/acme/sessions/current", as: session))
            for reply in replies {
                #expect(reply.headers[.cacheControl] == "no-store", "\(reply.text)")
                #expect(reply.headers[options] == "nosniff", "\(reply.text)")
            }
            let description = try await api.call(.get, "/openapi.yaml", as: .none)
            #expect(description.headers[.cacheControl] == "no-cache" && description.headers[options] == "nosniff")
        }
    }

    @Test("the log line names the caller and its address, and never a token")
    func callersInLog() async throws {
        let log = CapturedLog()
        try await TestGateway.run(.live, logger: log.logger) { api in
            try await api.makeBrand()
            let account = try await api.makeAccount("acme", "events:write")
            let session = try await api.makeSession("u-7")
            guard case .basic(let id, _) = account else {
                Issue.record("a credential of another kind")
                return
            }
            let forwarded = try #require(HTTPField.Name("X-Forwarded-For"))
            func line(_ path: String, as credential: Credential, from address: String?) async throws -> Substring? {
                let requestID = "r-\(path.utf8.count)-\(address ?? "none")"
                var headers: HTTPFields = [Self.requestID: requestID]
                headers[forwarded] = address
                _ = try await api.call(.get, path, as: credential, headers: headers)
                return log.text.split(separator: "\n").last { $0.hasSuffix(" request.id=\(requestID)") }
            }
            let admin = try #require(try await line("/v1/brands", as: .admin, from: nil))
            #expect(admin.contains("caller.id=admin caller.kind=admin") && admin.contains("peer.address=local"))
            let backend = try #require(
                try await line("/v1/brands/acme/deliveries", as: account, from: "203.0.113.9")
            )
            #expect(backend.contains("caller.id=\(id) caller.kind=serviceAccount"))
            #expect(backend.contains("peer.address=203.0.113.9"))
            let device = try #require(try await line("/v1/brands/acme/unread", as: session, from: "x-evil=1"))
            #expect(device.contains("caller.id=u-7 caller.kind=session"))
            #expect(device.contains("peer.address=127.0.0.1"))
            let nobody = try #require(try await line("/v1/brands", as: .bearer("nobody"), from: "::2"))
            #expect(!nobody.contains("caller.") && nobody.contains("peer.address=::2"))
        }
    }

    @Test("the log line names requests and their results, and contains no text, token or secret (R187)")
    func logging() async throws {
        let log = CapturedLog()
        let trace = HTTPField.Name("traceparent") ?? .age
        try await TestGateway.run(logger: log.logger) { api in
            try await api.makeBrand()
            let account = try await api.makeAccount("acme", "events:write")
            let session = try await api.makeSession(device: "d-1")
            _ = try await api.register("d-1", as: session, token: "c0ffee00")
            _ = try await api.call(
                .post,
                "/v1/brands/acme/events",
                as: account,
                #"{"id":"1","type":"agent.message","consumer":"u-1","text":"top secret text"}"#,
                headers: [
                    Self.requestID: "the-request", trace: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                ]
            )
            _ = try await api.call(.get, "/v1/brands/acme/unread", as: .bearer("wrong-bearer-token"))
            guard case .basic(_, let secret) = account, case .bearer(let token) = session else {
                Issue.record("a credential of another kind")
                return
            }
            for word in [
                secret, token, TestGateway.adminToken, "c0ffee00", "top secret", "wrong-bearer", "PRIVATE KEY",
            ] {
                #expect(!log.text.contains(word))
            }
        }
        #expect(log.text.contains("request.id=the-request"))
        #expect(log.text.contains("trace.id=0af7651916cd43dd8448eb211c80319c"))
        #expect(log.text.contains("http.route=/v1/brands/{brand}/events"))
        #expect(log.text.contains("brand.id=acme"))
        #expect(log.text.contains("error.code=token_invalid"))
    }
}
