import HTTPTypes
import Testing

@testable import GatewayHTTP

@Suite("Conversations for consumers", .timeLimit(.minutes(10)))
struct ConversationRouteTests {
    private static let feed = "/v1/brands/acme/outbound/crm"
    private static let all = "/v1/brands/acme/conversations"

    @Test("a consumer opens a conversation, writes, is listed as the sender, and reaches the back-end in order")
    func writing() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            _ = try await api.call(.get, Self.feed)
            let session = try await api.makeSession(device: "d-1")
            try #require(try await api.register("d-1", as: session).status == 201)
            let made = try await api.call(.post, Self.all, as: session, #"{"clientId":"o-1"}"#)
            #expect(made.status == 201 && made["unread"]?.int == 0 && made["lastSequence"]?.int == 0)
            let id = try #require(made["id"]?.string)
            let again = try await api.call(.post, Self.all, as: session, #"{"clientId":"o-2"}"#)
            #expect(again.status == 200 && again.text == made.text)

            let messages = Self.all + "/\(id)/messages"
            let body = #"{"clientId":"m-1","text":"Where is it?","data": {"order":"A 17"} }"#
            let first = try await api.call(.post, messages, as: session, body)
            #expect(first.status == 201 && first["sequence"]?.int == 1)
            #expect(try first.json().names == ["messageId", "sequence"])
            let repeated = try await api.call(.post, messages, as: session, body)
            #expect(repeated.status == 201 && repeated.text == first.text)
            try await api.call(.post, messages, as: session, #"{"clientId":"m-1","text":"Where?"}"#)
                .expectProblem(409, "conflict")
            try await api.post("e-1", conversation: id)
            let acting = messages + "?consumer=u-1"
            #expect(try await api.call(.post, acting, #"{"clientId":"m-2","text":"Oh"}"#)["sequence"]?.int == 3)

            let listed = try await api.call(.get, "/v1/brands/acme/messages?conversation=\(id)", as: session)
            let items = try #require(listed["items"]).items
            #expect(items.map { $0["from"]?.string } == ["consumer", "agent", "consumer"])
            #expect(items.map { $0["kind"]?.string } == ["consumer", "agent", "consumer"])
            #expect(items[0]["data"]?["order"]?.string == "A 17" && items[0]["messageId"] == first["messageId"])
            #expect(try await api.call(.get, "/v1/brands/acme/unread", as: session)["unread"]?.int == 1)
            #expect(try await api.call(.get, "/v1/brands/acme/deliveries")["items"]?.items.count == 1)

            let reported = try await api.call(.get, Self.feed + "?types=consumer.message")["items"]?.items ?? []
            #expect(reported.map { $0["data"]?["clientId"]?.string } == ["m-1", "m-2"])
            #expect(reported[0]["data"]?["data"]?["order"]?.string == "A 17")
            #expect(reported.map { $0["data"]?["sequence"]?.int } == [1, 3])
        }
    }

    @Test("a consumer resolves the active conversation, and only that (R122)")
    func resolving() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            _ = try await api.call(.get, Self.feed)
            try await api.post("1")
            try await api.post("2", consumer: "u-2", conversation: "c-2")
            let session = try await api.makeSession()
            for unknown in ["c-2", "c-9"] {
                try await api.call(.post, Self.all + "/\(unknown)/resolve", as: session).expectProblem(404, "not_found")
            }
            #expect(try await api.call(.post, Self.all + "/c-1/resolve", as: session).status == 204)
            try await api.call(.post, Self.all + "/c-1/resolve", as: session).expectProblem(409, "conflict")
            let reported = try await api.call(.get, Self.feed + "?types=conversation.resolved")["items"]?.items ?? []
            #expect(reported.map { $0["data"]?["by"]?.string } == ["consumer"])
            let made = try await api.call(.post, Self.all, as: session, #"{"clientId":"o-1"}"#)
            #expect(made.status == 201)
            let id = try #require(made["id"]?.string)
            // The same request gets the active conversation, and a new one once that is resolved.
            #expect(try await api.call(.post, Self.all, as: session, #"{"clientId":"o-1"}"#).text == made.text)
            #expect(try await api.call(.post, Self.all + "/\(id)/resolve", as: session).status == 204)
            let next = try await api.call(.post, Self.all, as: session, #"{"clientId":"o-1"}"#)
            #expect(next.status == 201 && next["id"] != made["id"])
        }
    }

    @Test("a consumer with a thousand conversations cannot open more until some are deleted")
    func many() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let session = try await api.makeSession()
            let key = "(SELECT key FROM consumers WHERE id = 'u-1')"
            try await api.execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) \
                INSERT INTO conversations (brand, id, consumer, resolved, own, last_message) \
                SELECT 1, 'own-' || i, \(key), 1, 1, i FROM n
                """
            )
            try await api.call(.post, Self.all, as: session, #"{"clientId":"o-1"}"#).expectProblem(409, "conflict")
            try await api.execute("DELETE FROM conversations WHERE id = 'own-7'")
            #expect(try await api.call(.post, Self.all, as: session, #"{"clientId":"o-1"}"#).status == 201)
        }
    }

    @Test("invalid messages are rejected, and nothing is stored")
    func refused() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await api.post("1")
            try await api.post("2", consumer: "u-2", conversation: "c-2")
            let session = try await api.makeSession()
            let before = try await api.dump()
            for unknown in ["c-2", "c-9"] {
                try await api.call(
                    .post,
                    Self.all + "/\(unknown)/messages",
                    as: session,
                    #"{"clientId":"m-1","text":"x"}"#
                ).expectProblem(404, "not_found")
            }
            try await api.call(.post, Self.all + "?consumer=nobody", #"{"clientId":"o-1"}"#)
                .expectProblem(404, "not_found")
            let engaged = #"{"clientId":"o-1","engagement":{"campaignId":"c"}}"#
            #expect(
                try await api.call(.post, Self.all, as: session, engaged).pointers
                    == ["/engagement/engagementId", "/engagement/contextId"]
            )
            let large = String(repeating: "x", count: 33_000)
            for (body, pointer) in [
                (#"{"clientId":"m","text":""}"#, "/text"), (#"{"clientId":"m","text":"a\u0000b"}"#, "/text"),
                (#"{"clientId":"","text":"x"}"#, "/clientId"), (#"{"clientId":"m","text":"x","data":[]}"#, "/data"),
                (#"{"clientId":"m","text":"x","data":{"a":"\#(large)"}}"#, "/data"),
                (#"{"clientId":"m","text":"x","d\u0061ta":{}}"#, "/data"),
                (#"{"clientId":"m","text":"x","title":"y"}"#, "/title"),
            ] {
                let reply = try await api.call(.post, Self.all + "/c-1/messages", as: session, body)
                reply.expectProblem(422, "invalid_request")
                #expect(reply.pointers == [pointer], "\(body.prefix(100))")
            }
            #expect(try await api.dump() == before)
        }
    }
}
