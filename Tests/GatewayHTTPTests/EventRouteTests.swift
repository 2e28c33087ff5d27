import HTTPTypes
import Testing

@testable import GatewayHTTP

@Suite("POST events", .timeLimit(.minutes(10)))
struct EventRouteTests {
    private static let path = "/v1/brands/acme/events"
    private static let resultMembers: Set<String> = [
        "id", "status", "messageId", "conversation", "sequence", "unread", "deliveries",
    ]

    private static func event(_ id: String, _ more: String = "") -> String {
        #"{"id":"\#(id)","type":"agent.message","consumer":"u-1","conversation":"c-1","text":"hello"\#(more)}"#
    }

    @Test("R179: a message is accepted with its ids and counts, once")
    func single() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let account = try await api.makeAccount("acme", "events:write")
            let session = try await api.makeSession(device: "d-1")
            _ = try await api.register("d-1", as: session)
            let first = try await api.call(.post, Self.path, as: account, Self.event("1"))
            #expect(first.status == 202)
            #expect(first.headers[.contentType] == "application/json")
            #expect(
                [first["accepted"], first["duplicates"], first["rejected"]] == [.number(1), .number(0), .number(0)]
            )
            let result = try #require(try first.json()["results"]?[0])
            #expect(result.names == Self.resultMembers)
            #expect(result["id"]?.string == "1")
            #expect(result["status"]?.string == "accepted")
            #expect(result["conversation"]?.string == "c-1")
            #expect(result["sequence"]?.int == 1)
            #expect(result["unread"]?.int == 1)
            #expect(result["deliveries"]?.int == 1)
            #expect(result["messageId"]?.string?.count == 36)
            let again = try await api.call(.post, Self.path, as: account, Self.event("1"))
            #expect(again["duplicates"]?.int == 1)
            let same = try #require(try again.json()["results"]?[0])
            #expect(same["status"]?.string == "duplicate")
            #expect(same["messageId"] == result["messageId"])
            #expect(same["sequence"]?.int == 1)
            #expect(same["warnings"] == nil)
            let other = try await api.call(.post, Self.path, as: account, Self.event("1", #","title":"x""#))
            #expect(try other.json()["results"]?[0]?["warnings"] == .array([.string("body_differs")]))
            let unread = try await api.call(.get, "/v1/brands/acme/unread", as: session)
            #expect(unread["unread"]?.int == 1)
        }
    }

    @Test("a time far away is moved to the limit and reported")
    func clamped() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let result = try await api.post("1", more: #","time":"2020-01-01T00:00:00Z""#)
            #expect(result["warnings"] == .array([.string("clamped_time")]))
        }
    }

    @Test("silent, proactive, resolved and typing events do not count")
    func uncounted() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            #expect(try await api.post("1")["unread"]?.int == 1)
            #expect(try await api.post("2", more: #","silent":true"#)["unread"]?.int == 1)
            let proactive = try await api.post("3", more: #","kind":"proactive""#, type: "proactive.message")
            #expect(proactive["unread"]?.int == 1)
            #expect(try await api.post("4", type: "agent.typing")["status"]?.string == "accepted")
            let read = try await api.post("5", more: #","upToSequence":1"#, type: "messages.read")
            #expect(read["unread"]?.int == 0)
            #expect(read["messageId"] == .null)
            #expect(try await api.post("6", type: "conversation.resolved")["status"]?.string == "accepted")
        }
    }

    @Test("an invalid line is rejected individually and the others are stored")
    func lines() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let body = [Self.event("1"), "nonsense", #"{"id":"x","type":"agent.message"}"#, Self.event("2")]
                .joined(separator: "\n")
            let reply = try await api.call(.post, Self.path, body, type: "application/x-ndjson")
            #expect(reply.status == 202)
            #expect(
                [reply["accepted"], reply["duplicates"], reply["rejected"]] == [.number(2), .number(0), .number(2)]
            )
            let results = try #require(try reply.json()["results"]).items
            #expect(results.map { $0["status"]?.string } == ["accepted", "rejected", "rejected", "accepted"])
            #expect(results.map { $0["sequence"]?.int } == [1, nil, nil, 2])
            #expect(results[1]["id"] == .null)
            #expect(results[2]["id"]?.string == "x")
            let problem = try #require(results[2]["problem"])
            #expect(problem["code"]?.string == "invalid_request")
            #expect(problem["status"]?.int == 422)
            #expect(problem["retryable"]?.bool == false)
            #expect(problem["errors"]?.items.compactMap { $0["pointer"]?.string } == ["/consumer", "/text"])
            #expect(results[2].names == Self.resultMembers.union(["problem"]))
        }
    }

    @Test("a batch is 202 even if all events are rejected, or it is empty")
    func batches() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let empty = try await api.call(.post, Self.path, "[]")
            #expect(empty.status == 202)
            #expect(empty.text == #"{"accepted":0,"duplicates":0,"rejected":0,"results":[]}"#)
            let bad = try await api.call(.post, Self.path, "[5,{}]")
            #expect(bad.status == 202)
            #expect(bad["rejected"]?.int == 2)
            let one = try await api.call(.post, Self.path, "[\(Self.event("1"))]")
            #expect(one["accepted"]?.int == 1)
        }
    }

    @Test(
        "a body that cannot be parsed stores nothing",
        arguments: [
            ("{", 400), ("", 400), ("nope", 400), (#"[{"id":"1"},]"#, 400), ("5", 400), (#"{"id":"1"}"#, 422),
            (#"{"id":"1","id":"1","type":"agent.message","consumer":"u-1","text":"x"}"#, 422),
        ]
    )
    func refused(_ body: String, _ status: Int) async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await api.call(.post, Self.path, body).expectProblem(status, "invalid_request")
            // Nor does an array whose first element would be valid.
            try await api.call(.post, Self.path, "[\(Self.event("1")),{]").expectProblem(400, "invalid_request")
            let messages = try await api.call(.get, "/v1/brands/acme/messages?consumer=u-1")
            #expect(try messages.json()["items"]?.items.isEmpty == true)
        }
    }

    @Test("bodies that are too long or of another type are rejected")
    func limits() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            try await api.call(.post, Self.path, "{}", type: "text/plain").expectProblem(415, "unsupported_media_type")
            // One event may be 1 MiB, a batch 16.
            let padded = Self.event("1", #","pad":""# + String(repeating: "a", count: 1 << 20) + "\"")
            try await api.call(.post, Self.path, padded).expectProblem(413, "payload_too_large")
            let batch = "[\(Self.event("1"))" + String(repeating: " ", count: 2 << 20) + "]"
            #expect(try await api.call(.post, Self.path, batch).status == 202)
            let long = "[" + String(repeating: " ", count: 16 << 20) + "]"
            try await api.call(.post, Self.path, long).expectProblem(413, "payload_too_large")
            let many = Array(repeating: Self.event("2"), count: 10_001).joined(separator: "\n")
            let reply = try await api.call(.post, Self.path, many, type: "application/x-ndjson")
            reply.expectProblem(413, "payload_too_large")
            let messages = try await api.call(.get, "/v1/brands/acme/messages?consumer=u-1")
            #expect(try messages.json()["items"]?.items.count == 1)
        }
    }

    @Test("two consumers may use the same event id and the same conversation id")
    func sameIDs() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let other = #"{"id":"1","type":"agent.message","consumer":"u-2","conversation":"c-1","text":"theirs"}"#
            let batch = try await api.call(.post, Self.path, "[\(Self.event("1")),\(other),\(other)]").json()
            let results = batch["results"]?.items ?? []
            #expect(results.map { $0["status"]?.string } == ["accepted", "accepted", "duplicate"])
            #expect(results.map { $0["sequence"]?.int } == [1, 1, 1])
            #expect(results.map { $0["unread"]?.int } == [1, 1, 1])
            #expect(results[1]["messageId"]?.string == results[2]["messageId"]?.string)
            #expect(results[0]["messageId"]?.string != results[1]["messageId"]?.string)
            // Each session sees and changes its own.
            let (first, second) = (try await api.makeSession("u-1"), try await api.makeSession("u-2"))
            let path = "/v1/brands/acme/conversations/c-1"
            for (session, text) in [(first, "hello"), (second, "theirs")] {
                let messages = try await api.call(.get, "/v1/brands/acme/messages?conversation=c-1", as: session)
                #expect(messages["items"]?.items.map { $0["text"]?.string } == [text])
            }
            let read = try await api.call(.post, path + "/read", as: second, #"{"upToSequence":1}"#)
            #expect(read["unread"]?.int == 0)
            try #require(try await api.call(.post, path + "/resolve", as: second).status == 204)
            #expect(try await api.call(.get, "/v1/brands/acme/unread", as: first)["unread"]?.int == 1)
            // A read of a conversation that only another consumer has names the member.
            let stranger = #"{"id":"2","type":"messages.read","consumer":"u-3","conversation":"c-1","upToSequence":1}"#
            let single = try await api.call(.post, Self.path, stranger)
            single.expectProblem(422, "invalid_request")
            #expect(single.pointers == ["/conversation"])
        }
    }

    @Test("an event without a conversation goes to the active one")
    func activeConversation() async throws {
        try await TestGateway.run { api in
            try await api.makeBrand()
            let body = #"{"id":"1","type":"agent.message","consumer":"u-1","text":"x"}"#
            let first = try await api.call(.post, Self.path, body).json()["results"]?[0]
            let conversation = try #require(first?["conversation"]?.string)
            let second = try await api.call(.post, Self.path, body.replacing("\"1\"", with: "\"2\"")).json()[
                "results"
            ]?[0]
            #expect(second?["conversation"]?.string == conversation)
            #expect(second?["sequence"]?.int == 2)
        }
    }

    @Test("a gateway that does not run accepts nothing and reports when to retry")
    func stopped() async throws {
        try await TestGateway.run(started: false) { api in
            try await api.makeBrand()
            try await api.call(.post, Self.path, Self.event("1")).expectProblem(503, "overloaded")
        }
    }
}
