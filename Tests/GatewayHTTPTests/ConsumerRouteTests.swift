import HTTPTypes
import Testing

@testable import GatewayHTTP

@Suite("Consumer data for back-ends", .timeLimit(.minutes(10)))
struct ConsumerRouteTests {
    private static let path = "/v1/brands/acme/consumers/u-1"

    /// Creates a consumer with a device, a conversation, a message of its own and a tap.
    private func fill(_ api: API) async throws -> Credential {
        try await api.makeBrand()
        _ = try await api.call(.get, "/v1/brands/acme/outbound/crm")
        let session = try await api.makeSession(device: "d-1")
        try #require(try await api.register("d-1", as: session, token: "aabbccddeeff").status == 201)
        let message = try #require(try await api.post("1")["messageId"]?.string)
        try await api.post("2", consumer: "u-2", conversation: "c-2")
        let tap = try await api.call(
            .post,
            "/v1/brands/acme/messages/\(message)/tap",
            as: session,
            #"{"deviceId":"d-1","action":"open"}"#
        )
        try #require(tap.status == 200)
        let words = try await api.call(
            .post,
            "/v1/brands/acme/conversations/c-1/messages",
            as: session,
            "{\"clientId\":\"m-1\",\"text\":\"my secret\",\"data\":{\n\"a\": 1}}"
        )
        try #require(words.status == 201)
        return session
    }

    @Test("a consumer is returned with profile, unread messages, conversations and devices; its profile is changed")
    func profile() async throws {
        try await TestGateway.run { api in
            _ = try await fill(api)
            let shown = try await api.call(.get, Self.path)
            #expect(shown.status == 200 && shown["id"]?.string == "u-1" && shown["unread"]?.int == 1)
            #expect(shown["name"] == .null && shown["anonymous"] == .bool(false))
            #expect(shown["conversations"]?[0]?["lastSequence"]?.int == 2)
            #expect(shown["devices"]?[0]?["deviceId"]?.string == "d-1")
            #expect(!shown.text.contains("aabbccddeeff"))
            let sessions = shown["sessions"]?.items ?? []
            #expect(sessions.map { $0["deviceId"]?.string } == ["d-1"])
            #expect(sessions.first?.names == ["deviceId", "createdAt", "expiresAt"])
            let changed = try await api.call(.patch, Self.path, #"{"name":"Ada","phone":"+49"}"#)
            #expect(changed.status == 200 && changed["name"]?.string == "Ada")
            let cleared = try await api.call(.patch, Self.path, #"{"phone":null}"#)
            #expect(cleared["phone"] == .null && cleared["name"]?.string == "Ada")
            let quiet = try await api.call(.patch, Self.path, #"{"quietHours":{"from":"22:00","to":"07:05"}}"#)
            #expect(quiet["quietHours"]?["from"]?.string == "22:00" && quiet["quietHours"]?["to"]?.string == "07:05")
            #expect(quiet["quietHours"]?["mode"]?.string == "held" && quiet["quietHours"]?["timeZone"] == .null)
            let off = try await api.call(.patch, Self.path, #"{"quietHours":{"mode":"off"}}"#)
            #expect(off["quietHours"] == .object(["mode": .string("off")]), "\(off.text)")
            #expect(try await api.call(.patch, Self.path, #"{"name":"Ada"}"#)["quietHours"] == off["quietHours"])
            #expect(try await api.call(.patch, Self.path, #"{"quietHours":null}"#)["quietHours"] == .null)
            for (body, pointer) in [
                (#"{"merge":"a-1"}"#, "/merge"), (#"{"quietHours":{"from":"22:00"}}"#, "/quietHours/to"),
                (#"{"name":""}"#, "/name"),
                (#"{"email":5}"#, "/email"),
            ] {
                let refused = try await api.call(.patch, Self.path, body)
                refused.expectProblem(422, "invalid_request")
                #expect(refused.pointers == [pointer])
            }
            try await api.call(.get, "/v1/brands/acme/consumers/nobody").expectProblem(404, "not_found")
            try await api.call(.patch, "/v1/brands/acme/consumers/nobody", "{}").expectProblem(404, "not_found")
        }
    }

    @Test("a back-end merges another consumer into one: all data moves, once, and its sessions end")
    func merge() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand("acme", settings: #"{"anonymousConsumers":true}"#)
            try await api.makeBrand("other")
            let backend = try await api.makeAccount("acme", "consumers:write")
            let made = try await api.call(
                .post,
                "/v1/brands/acme/sessions",
                as: .none,
                #"{"grant":"anonymous","deviceId":"d-1"}"#
            )
            let session = Credential.bearer(try #require(made["sessionToken"]?.string))
            let anonymous = try #require(made["consumer"]?["id"]?.string)
            try #require(try await api.register("d-1", as: session).status == 201)
            try await api.post("1", consumer: anonymous, conversation: "c-a")
            try await api.post("2", conversation: "c-1")
            let own = try await api.makeSession("u-1")
            #expect(try await api.call(.get, "/v1/brands/acme/unread", as: session)["unread"]?.int == 1)
            let body = #"{"mergeFrom":"\#(anonymous)"}"#
            let merged = try await api.call(.patch, Self.path, as: backend, body)
            #expect(merged.status == 200 && merged["id"]?.string == "u-1" && merged["unread"]?.int == 2)
            #expect(merged["conversations"]?.items.count == 2)
            #expect(merged["devices"]?[0]?["deviceId"]?.string == "d-1")
            try await api.call(.get, "/v1/brands/acme/unread", as: session).expectProblem(401, "token_invalid")
            #expect(try await api.call(.get, "/v1/brands/acme/unread", as: own)["unread"]?.int == 2)
            #expect(try await api.call(.patch, Self.path, as: backend, body).text == merged.text)
            let shown = try await api.call(.get, "/v1/brands/acme/consumers/\(anonymous)")
            #expect(shown["id"]?.string == "u-1")
            let trail = try await api.call(.get, "/v1/brands/acme/audit")["items"]?.items ?? []
            let entries = trail.filter { $0["action"]?.string == "consumer.merged" }
            #expect(entries.map { $0["target"]?.string } == ["\(anonymous) -> u-1"])
            #expect(entries.first?["actor"]?["kind"]?.string == "serviceAccount")

            // Invalid merges, by name; nothing changes.
            try await api.post("3", consumer: "u-2", conversation: "c-2")
            let second = try await api.call(
                .post,
                "/v1/brands/acme/sessions",
                as: .none,
                #"{"grant":"anonymous"}"#
            )
            let stranger = try #require(second["consumer"]?["id"]?.string)
            try await api.post("4", consumer: "u-9", conversation: "c-9", brand: "other")
            let before = try await api.dump()
            for (wrong, pointers) in [
                (#"{"mergeFrom":"u-1"}"#, ["/mergeFrom"]), (#"{"mergeFrom":"u-9"}"#, ["/mergeFrom"]),
                (#"{"mergeFrom":""}"#, ["/mergeFrom"]), (#"{"mergeFrom":["u-2"]}"#, ["/mergeFrom"]),
                (#"{"mergeFrom":"u-2","name":"Ada"}"#, ["/name"]),
                (#"{"mergeFrom":"u-2","quietHours":null,"x":1}"#, ["/quietHours", "/x"]),
            ] {
                let refused = try await api.call(.patch, Self.path, as: backend, wrong)
                refused.expectProblem(422, "invalid_request")
                #expect(refused.pointers == pointers, "\(wrong)")
            }
            for (path, wrong) in [("u-2", anonymous), (stranger, "u-2")] {
                let refused = try await api.call(
                    .patch,
                    "/v1/brands/acme/consumers/\(path)",
                    as: backend,
                    #"{"mergeFrom":"\#(wrong)"}"#
                )
                refused.expectProblem(409, "conflict")
            }
            let nobody = "/v1/brands/acme/consumers/nobody"
            try await api.call(.patch, nobody, as: backend, #"{"mergeFrom":"u-2"}"#).expectProblem(404, "not_found")
            let foreign = try await api.makeAccount("other", "consumers:write")
            try await api.call(.patch, Self.path, as: foreign, body).expectProblem(401, "unauthorized")
            try await api.call(.patch, Self.path, as: own, body).expectProblem(403, "forbidden")
            #expect(try await api.call(.patch, Self.path, as: backend, #"{"mergeFrom":null}"#).status == 200)
            var after = try await api.dump()
            after["credentials"] = before["credentials"]
            after["audit"] = before["audit"]
            #expect(after == before)
            // An erased consumer does not exist.
            #expect(try await api.call(.delete, "/v1/brands/acme/consumers/u-2").status == 204)
            try await api.call(.patch, Self.path, as: backend, #"{"mergeFrom":"u-2"}"#)
                .expectProblem(422, "invalid_request")
            #expect(try await api.call(.delete, Self.path).status == 204)
            try await api.call(.patch, Self.path, as: backend, body).expectProblem(404, "not_found")
        }
    }

    @Test("an export contains all data of the consumer and no token")
    func export() async throws {
        try await TestGateway.run { api in
            let session = try await fill(api)
            let backend = try await api.makeAccount("acme", "consumers:write")
            let export = try await api.call(.get, Self.path + "/export", as: backend)
            let document = try export.json()
            #expect(document["consumer"]?["id"]?.string == "u-1")
            #expect(document["devices"]?[0]?["tokenFingerprint"]?.string?.count == 16)
            #expect(document["sessions"]?[0]?["deviceId"]?.string == "d-1")
            let messages = document["conversations"]?[0]?["messages"]?.items ?? []
            #expect(messages.compactMap { $0["message"]?["text"]?.string } == ["hello", "my secret"])
            #expect(messages.first?["tap"]?["action"]?.string == "open")
            #expect(document["deliveries"]?.items.count == 1)
            #expect(document["deliveries"]?[0]?["consumer"]?.string == "u-1")
            #expect(!export.text.contains("aabbccddeeff") && !export.text.contains("u-2"))
            guard case .bearer(let token) = session else { return }
            #expect(!export.text.contains(token))
            try await api.call(.get, "/v1/brands/acme/consumers/nobody/export").expectProblem(404, "not_found")
            let other = try await api.makeAccount("acme", "events:read")
            try await api.call(.get, Self.path + "/export", as: other).expectProblem(403, "forbidden")
            try await api.call(.get, Self.path + "/export", as: session).expectProblem(403, "forbidden")
        }
    }

    @Test("a long conversation is exported completely")
    func longExport() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            for number in 1...120 { try await api.post("e-\(number)", conversation: number % 3 == 0 ? "c-2" : "c-1") }
            let document = try await api.call(.get, Self.path + "/export").json()
            let counts = document["conversations"]?.items.map { $0["messages"]?.items.count }
            #expect(counts == [80, 40])
        }
    }

    @Test("an erased consumer is gone before the response, and its id can be used again")
    func erasure() async throws {
        try await TestGateway.run { api in
            let session = try await fill(api)
            let backend = try await api.makeAccount("acme", "consumers:write")
            #expect(try await api.call(.delete, Self.path, as: backend).status == 204)
            try await api.call(.get, "/v1/brands/acme/unread", as: session).expectProblem(401, "token_invalid")
            for path in [Self.path, Self.path + "/export"] {
                try await api.call(.get, path).expectProblem(404, "not_found")
            }
            let deliveries = try await api.call(.get, "/v1/brands/acme/deliveries")
            #expect(!deliveries.text.contains("u-1"))
            let trail = try await api.call(.get, "/v1/brands/acme/audit")["items"]?[0]
            #expect(trail?["action"]?.string == "consumer.erased" && trail?["target"]?.string == "u-1")
            #expect(trail?["actor"]?["kind"]?.string == "serviceAccount")
            // Again, and for an unknown consumer: the same response, and no audit entry.
            #expect(try await api.call(.delete, Self.path, as: backend).status == 204)
            let page = try await api.call(.get, "/v1/brands/acme/audit")["items"]?.items ?? []
            #expect(page.filter { $0["action"]?.string == "consumer.erased" }.count == 1)

            let next = try await api.makeSession(device: "d-1")
            let none = try await api.call(.get, "/v1/brands/acme/messages", as: next)
            #expect(none["items"]?.items.isEmpty == true)
            #expect(try await api.post("3")["sequence"]?.int == 1)
            try await api.call(.delete, Self.path, as: next).expectProblem(403, "forbidden")
        }
    }
}
