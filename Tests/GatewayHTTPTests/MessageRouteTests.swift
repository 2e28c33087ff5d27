import GatewayModel
import HTTPTypes
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Unread counts, messages, reads and taps", .timeLimit(.minutes(10)))
struct MessageRouteTests {
    @Test("unread counts cover all conversations and fall only by reads, never beyond the last message (R87-R89)")
    func unread() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let session = try await api.makeSession()
            let none = try await api.call(.get, "/v1/brands/acme/unread", as: session)
            #expect(none["unread"]?.int == 0)
            #expect(none["conversations"] == .array([]))
            #expect(none["asOf"]?.string == "2026-01-02T02:44:05.678Z" || none["asOf"]?.string?.hasSuffix("Z") == true)
            for id in ["1", "2", "3"] { try await api.post(id) }
            try await api.post("4", conversation: "c-2")
            let counts = try await api.call(.get, "/v1/brands/acme/unread", as: session)
            #expect(counts["unread"]?.int == 4)
            let first = try #require(counts["conversations"]?.items.first { $0["id"]?.string == "c-1" })
            #expect(first.names == ["id", "unread", "lastSequence", "readSequence"])
            #expect([first["unread"]?.int, first["lastSequence"]?.int, first["readSequence"]?.int] == [3, 3, 0])
            // Downloading does not mark messages as read (R88).
            _ = try await api.call(.get, "/v1/brands/acme/messages?conversation=c-1", as: session)
            #expect(try await api.call(.get, "/v1/brands/acme/unread", as: session)["unread"]?.int == 4)

            let read = "/v1/brands/acme/conversations/c-1/read"
            #expect(try await api.call(.post, read, as: session, #"{"upToSequence":2}"#).text == #"{"unread":2}"#)
            #expect(try await api.call(.post, read, as: session, #"{"upToSequence":1}"#)["unread"]?.int == 2)
            #expect(try await api.call(.post, read, as: session, #"{"upToSequence":99}"#)["unread"]?.int == 1)
            // A mark beyond the end was moved to it: the next message counts (R89).
            #expect(try await api.post("5")["unread"]?.int == 2)
        }
    }

    @Test("a read of another's or an unknown conversation is 404")
    func badReads() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await api.post("1", consumer: "u-2", conversation: "c-2")
            let session = try await api.makeSession()
            let read = "/v1/brands/acme/conversations/c-2/read"
            try await api.call(.post, read, as: session, #"{"upToSequence":1}"#).expectProblem(404, "not_found")
            let unknown = "/v1/brands/acme/conversations/nope/read"
            try await api.call(.post, unknown, as: session, #"{"upToSequence":1}"#).expectProblem(404, "not_found")
        }
    }

    @Test("messages are in order and paged by cursor")
    func messages() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let session = try await api.makeSession()
            for id in 1...5 {
                try await api.post(
                    "\(id)",
                    conversation: id == 4 ? "c-2" : "c-1",
                    more: #","data":{"n": \#(id)},"agent":{"id":"a","nickname":"Dana"}"#
                )
            }
            let all = "/v1/brands/acme/messages"
            let one = try await api.call(.get, all + "?conversation=c-1&limit=3", as: session)
            let items = try #require(try one.json()["items"]).items
            #expect(items.compactMap { $0["sequence"]?.int } == [1, 2, 3])
            #expect(items[0]["text"]?.string == "hello")
            #expect(items[0]["from"]?.string == "agent")
            #expect(items[0]["kind"]?.string == "agent")
            #expect(items[0]["agent"]?["nickname"]?.string == "Dana")
            #expect(items[0]["data"]?["n"]?.int == 1)
            let cursor = try #require(one["nextCursor"]?.string)
            let rest = try await api.call(.get, all + "?conversation=c-1&cursor=\(cursor)", as: session)
            #expect(try rest.json()["items"]?.items.compactMap { $0["sequence"]?.int } == [4])
            #expect(try rest.json()["nextCursor"] == .null)
            let after = try await api.call(.get, all + "?conversation=c-1&afterSequence=2", as: session)
            #expect(try after.json()["items"]?.items.compactMap { $0["sequence"]?.int } == [3, 4])
            let across = try await api.call(.get, all + "?limit=4", as: session)
            #expect(try across.json()["items"]?.items.compactMap { $0["data"]?["n"]?.int } == [1, 2, 3, 4])
            let next = try #require(across["nextCursor"]?.string)
            let last = try await api.call(.get, all + "?cursor=\(next)", as: session)
            #expect(try last.json()["items"]?.items.compactMap { $0["data"]?["n"]?.int } == [5])
            // A cursor of one list is not valid for the other.
            try await api.call(.get, all + "?conversation=c-1&cursor=\(next)", as: session)
                .expectProblem(422, "invalid_request")
            let other = try await api.makeSession("u-2")
            try await api.call(.get, all + "?conversation=c-1", as: other).expectProblem(404, "not_found")
            #expect(try await api.call(.get, all, as: other).json()["items"]?.items.isEmpty == true)
        }
    }

    @Test("a tap is recorded once, has the same response again and changes no count (R109, R112)")
    func taps() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let session = try await api.makeSession(device: "d-1")
            _ = try await api.register("d-1", as: session)
            let id = try #require(try await api.post("1")["messageId"]?.string)
            let path = "/v1/brands/acme/messages/\(id)/tap"
            api.clock.advance(seconds: 60)
            let tappedAt = api.clock.now.adding(seconds: -30).rfc3339
            let body = #"{"deviceId":"d-1","tappedAt":"\#(tappedAt)","action":"open"}"#
            let first = try await api.call(.post, path, as: session, body)
            #expect(first.status == 200)
            #expect(try first.json().names == ["kind", "conversation", "sequence", "tappedAt"])
            #expect(first["kind"]?.string == "agent")
            #expect(first["sequence"]?.int == 1)
            #expect(first["tappedAt"]?.string == tappedAt)
            let again = try await api.call(.post, path, as: session, #"{"deviceId":"d-1"}"#)
            #expect(again.text == first.text)
            #expect(try await api.call(.get, "/v1/brands/acme/unread", as: session)["unread"]?.int == 1)
            let deliveries = try await api.call(.get, "/v1/brands/acme/deliveries?message=\(id)")
            #expect(try deliveries.json()["items"]?[0]?["tappedAt"]?.string == tappedAt)
            // A time before the message and a time in the future are corrected.
            let early = try #require(try await api.post("2")["messageId"]?.string)
            let cameAt = api.clock.now.rfc3339
            api.clock.advance(seconds: 60)
            let clamped = try await api.call(
                .post,
                "/v1/brands/acme/messages/\(early)/tap",
                as: session,
                #"{"deviceId":"d-1","tappedAt":"1971-01-01T00:00:00Z"}"#
            )
            #expect(clamped["tappedAt"]?.string == cameAt)
        }
    }

    @Test("R114: where the brand wants it, a tap returns a proactive message after its look-back, too")
    func expiredProactive() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand(settings: #"{"showExpiredProactive":true}"#)
            let session = try await api.makeSession()
            _ = try await api.register("d-1", as: session)
            let proactive = #","kind":"proactive","lookBackSeconds":60"#
            func tap(_ number: Int) async throws -> Reply {
                let made = try await api.post("p-\(number)", more: proactive, type: "proactive.message")
                let id = try #require(made["messageId"]?.string)
                api.clock.advance(seconds: 61)
                let path = "/v1/brands/acme/messages/\(id)/tap"
                return try await api.call(.post, path, as: session, #"{"deviceId":"d-1"}"#)
            }
            let shown = try await tap(1)
            #expect(shown.status == 200 && shown["message"]?["text"]?.string == "hello", "\(shown.text)")
            let off = #"{"settings":{"showExpiredProactive":null}}"#
            let patched = try await api.call(.patch, "/v1/brands/acme", off)
            #expect(patched["settings"]?["showExpiredProactive"]?.bool == false)
            try await tap(2).expectProblem(410, "gone")
        }
    }

    @Test("proactive messages are returned with the tap until their look-back is over")
    func proactiveTaps() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let session = try await api.makeSession()
            _ = try await api.register("d-1", as: session)
            for kind in ["proactive", "c2m"] {
                let made = try await api.post(
                    kind,
                    more: #","kind":"\#(kind)","lookBackSeconds":60"#,
                    type: "proactive.message"
                )
                let id = try #require(made["messageId"]?.string)
                let path = "/v1/brands/acme/messages/\(id)/tap"
                let tap = try await api.call(.post, path, as: session, #"{"deviceId":"d-1"}"#)
                #expect(tap["kind"]?.string == kind)
                #expect(tap["message"]?["messageId"]?.string == id)
                #expect(tap["message"]?["text"]?.string == "hello")
                // Repetitions have the same response at any time.
                api.clock.advance(seconds: 61)
                #expect(try await api.call(.post, path, as: session, #"{"deviceId":"d-1"}"#).text == tap.text)
                let late = try await api.post(
                    kind + "-late",
                    more: #","kind":"\#(kind)","lookBackSeconds":60"#,
                    type: "proactive.message"
                )
                let lateID = try #require(late["messageId"]?.string)
                api.clock.advance(seconds: 61)
                let past = try await api.call(
                    .post,
                    "/v1/brands/acme/messages/\(lateID)/tap",
                    as: session,
                    #"{"deviceId":"d-1"}"#
                )
                past.expectProblem(410, "gone")
            }
        }
    }

    @Test("R110: a tap on an unknown or another consumer's message is 404, with an invalid member 422")
    func badTaps() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let id = try #require(try await api.post("1")["messageId"]?.string)
            let other = try await api.makeSession("u-2", device: "d-2")
            let body = #"{"deviceId":"d-2"}"#
            for message in [id, "0190b5a8-0000-7000-8000-000000000000", "nonsense", "%20"] {
                let tap = try await api.call(.post, "/v1/brands/acme/messages/\(message)/tap", as: other, body)
                tap.expectProblem(404, "not_found")
            }
            let mine = try await api.makeSession(device: "d-1")
            let path = "/v1/brands/acme/messages/\(id)/tap"
            let missing = try await api.call(.post, path, as: mine, "{}")
            missing.expectProblem(422, "invalid_request")
            #expect(missing.pointers == ["/deviceId"])
            let wrong = try await api.call(.post, path, as: mine, #"{"deviceId":"d-1","tappedAt":"now","action":""}"#)
            #expect(wrong.pointers == ["/tappedAt", "/action"])
            try await api.call(.post, path, as: mine, body).expectProblem(403, "forbidden")
        }
    }

    @Test("each receipt has its own result; when none is valid, all errors are named")
    func receipts() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let session = try await api.makeSession(device: "d-1")
            _ = try await api.register("d-1", as: session)
            let id = try #require(try await api.post("1")["messageId"]?.string)
            let foreign = try #require(
                try await api.post("2", consumer: "u-2", conversation: "c-2")["messageId"]?.string
            )
            let path = "/v1/brands/acme/receipts"
            func receipt(_ id: String, _ state: String = "displayed", device: String = "d-1") -> String {
                #"{"messageId":"\#(id)","deviceId":"\#(device)","state":"\#(state)","at":"2026-01-02T00:00:00Z"}"#
            }
            func post(_ receipts: String...) async throws -> Reply {
                try await api.call(.post, path, as: session, #"{"receipts":[\#(receipts.joined(separator: ","))]}"#)
            }
            #expect(try await post().text == #"{"recorded":0,"results":[]}"#)
            let unknown = "0190b5a8-0000-7000-8000-000000000000"
            let mixed = try await post(
                receipt(id),
                receipt(foreign),
                receipt(unknown),
                receipt(id, "eaten"),
                receipt(id, device: "d-2"),
                "5",
                receipt(id, "dismissed")
            )
            #expect(mixed.status == 202 && mixed["recorded"]?.int == 2)
            let results = try #require(mixed["results"]).items
            #expect(
                results.map { $0["status"]?.string } == [
                    "recorded", "unknown", "unknown", "rejected", "rejected", "rejected", "recorded",
                ]
            )
            #expect(
                results.map { $0["errors"]?[0]?["pointer"]?.string } == [
                    nil, nil, nil, "/receipts/3/state", "/receipts/4/deviceId", "/receipts/5", nil,
                ]
            )
            let wrong = try await post(#"{"messageId":"x","deviceId":"d-1","state":"eaten","at":"now"}"#)
            wrong.expectProblem(422, "invalid_request")
            #expect(wrong.pointers == ["/receipts/0/messageId", "/receipts/0/state", "/receipts/0/at"])
            let missing = try await post(#"{"messageId":"\#(id)"}"#)
            #expect(missing.pointers == ["/receipts/0/deviceId", "/receipts/0/state", "/receipts/0/at"])
            try await post(receipt(id, device: "d-2")).expectProblem(403, "forbidden")
            let many = Array(repeating: receipt(id), count: 501).joined(separator: ",")
            #expect(try await post(many).pointers == ["/receipts"])
        }
    }

    @Test("receipts and taps in any order are counted once, and the state of a delivery never goes back (R109)")
    func counted() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let session = try await api.makeSession(device: "d-1")
            _ = try await api.register("d-1", as: session)
            var ids: [String] = []
            for number in 1...4 { ids.append(try #require(try await api.post("\(number)")["messageId"]?.string)) }
            // Only a badge: it is not a message that could be tapped.
            _ = try await api.call(
                .post,
                "/v1/brands/acme/conversations/c-1/read?consumer=u-1",
                #"{"upToSequence":1}"#
            )
            _ = try await api.until {
                try await api.call(.get, "/v1/brands/acme/deliveries?state=accepted")
            } holds: {
                ($0["items"]?.items.count ?? 0) >= 4
            }
            func report(_ id: String, _ state: String, at: String) async throws {
                let body = #"{"messageId":"\#(id)","deviceId":"d-1","state":"\#(state)","at":"\#(at)"}"#
                let reply = try await api.call(
                    .post,
                    "/v1/brands/acme/receipts",
                    as: session,
                    #"{"receipts":[\#(body),\#(body)]}"#
                )
                #expect(reply["recorded"]?.int == 2)
            }
            // In the future, in the distant past, out of order, repeated.
            try await report(ids[0], "dismissed", at: "2999-01-01T00:00:00Z")
            try await report(ids[0], "delivered", at: "1971-01-01T00:00:00Z")
            try await report(ids[1], "displayed", at: "2026-01-01T00:00:00Z")
            _ = try await api.call(
                .post,
                "/v1/brands/acme/messages/\(ids[1])/tap",
                as: session,
                #"{"deviceId":"d-1","tappedAt":"2999-01-01T00:00:00Z"}"#
            )
            try await report(ids[1], "delivered", at: "2026-01-01T00:00:00Z")
            let listed = try await api.call(.get, "/v1/brands/acme/deliveries?message=\(ids[1])")
            #expect(listed["items"]?[0]?["state"]?.string == "tapped")
            let stats = try await api.call(.get, "/v1/brands/acme/stats")
            #expect(
                stats["receipts"]
                    == .object(["delivered": .number(2), "displayed": .number(1), "dismissed": .number(1)])
            )
            let messages = try #require(stats["taps"]?["accepted"]?.int)
            #expect((3...4).contains(messages) && stats["taps"]?["tapped"]?.int == 1)
            #expect(stats["tapRate"] == stats["taps"]?["rate"])
        }
    }
}
