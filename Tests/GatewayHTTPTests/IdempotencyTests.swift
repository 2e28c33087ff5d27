import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Idempotency keys", .timeLimit(.minutes(10)))
struct IdempotencyTests {
    private static let brand = #"{"id":"acme","name":"Acme"}"#

    private static func key(_ text: String) -> HTTPFields { [.idempotencyKey: text] }

    @Test("a repetition of a request that created something has the same response and creates nothing")
    func answered() async throws {
        try await TestGateway.run { api in
            let first = try await api.call(.post, "/v1/brands", Self.brand, headers: Self.key("k-1"))
            #expect(first.status == 201)
            #expect(first.headers[.idempotencyReplayed] == nil)
            let before = try await api.dump()
            let again = try await api.call(.post, "/v1/brands", Self.brand, headers: Self.key("k-1"))
            #expect(again.status == 201 && again.text == first.text)
            #expect(again.headers[.location] == "/v1/brands/acme")
            #expect(again.headers[.idempotencyReplayed] == "true")
            // Another body with the same key, and the same body with another.
            let other = try await api.call(
                .post,
                "/v1/brands",
                #"{"id":"acme","name":"Other"}"#,
                headers: Self.key("k-1")
            )
            other.expectProblem(422, "invalid_request")
            #expect(other.pointers == ["/Idempotency-Key"])
            #expect(try await api.dump() == before)
            try await api.call(.post, "/v1/brands", Self.brand, headers: Self.key("k-2")).expectProblem(409, "conflict")
            // A rejected request leaves no trace: the key can be used again.
            let later = try await api.call(.post, "/v1/brands", #"{"id":"b","name":"B"}"#, headers: Self.key("k-2"))
            #expect(later.status == 201)
            api.clock.advance(seconds: 86_400)
            try await api.call(.post, "/v1/brands", Self.brand, headers: Self.key("k-1")).expectProblem(409, "conflict")
        }
    }

    @Test("a response with a secret is not repeated")
    func refused() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let credential = #"{"kind":"serviceAccount","name":"crm","scopes":["events:write"]}"#
            let calls = [
                ("/v1/brands/acme/credentials", credential), ("/v1/brands/acme/consumers/u-1/sessions", "{}"),
            ]
            for (path, body) in calls {
                #expect(try await api.call(.post, path, body, headers: Self.key("k")).status == 201)
                let before = try await api.dump()
                try await api.call(.post, path, body, headers: Self.key("k")).expectProblem(409, "conflict")
                #expect(try await api.dump() == before)
                // The same key of another caller is a different one.
                let account = try await api.makeAccount("acme", "brand:admin", "sessions:mint")
                #expect(try await api.call(.post, path, as: account, body, headers: Self.key("k")).status == 201)
            }
        }
    }

    @Test("nothing is stored for the key of a caller without a credential")
    func anonymous() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand(settings: #"{"anonymousConsumers":true}"#)
            let before = try await api.dump()["idempotency"]
            var tokens: Set<String> = []
            for key in ["k", "k", "é"] {
                let opened = try await api.call(
                    .post,
                    "/v1/brands/acme/sessions",
                    as: .none,
                    #"{"grant":"anonymous"}"#,
                    headers: Self.key(key)
                )
                #expect(opened.status == 201, "\(opened.text)")
                tokens.insert(try #require(opened["sessionToken"]?.string))
            }
            #expect(tokens.count == 3)
            #expect(before != nil)
            #expect(try await api.dump()["idempotency"] == before)
        }
    }

    @Test("a key is 1 to 255 visible characters", arguments: ["", "a b", String(repeating: "k", count: 256), "é"])
    func shape(_ key: String) async throws {
        try await TestGateway.run { api in
            let refused = try await api.call(.post, "/v1/brands", Self.brand, headers: Self.key(key))
            refused.expectProblem(422, "invalid_request")
            #expect(refused.pointers == ["/Idempotency-Key"])
            #expect(try await api.call(.get, "/v1/brands/acme").status == 404)
        }
    }

    @Test("while the first request runs, a second one is rejected with the reason")
    func running() async throws {
        let keys = IdempotencyKeys()
        #expect(keys.begin([1]))
        #expect(!keys.begin([1]) && keys.begin([2]))
        keys.end([1])
        #expect(keys.begin([1]))
        // Concurrent requests: one of them creates, the others get the same response or 409.
        try await TestGateway.run { api in
            let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
                for _ in 0..<16 {
                    group.addTask { try await api.call(.post, "/v1/brands", Self.brand, headers: Self.key("k")) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(replies.contains { $0.status == 201 && $0.headers[.idempotencyReplayed] == nil })
            for reply in replies where reply.status != 201 {
                reply.expectProblem(409, "conflict")
                #expect(reply.headers[.retryAfter] == "1")
            }
        }
    }
}
