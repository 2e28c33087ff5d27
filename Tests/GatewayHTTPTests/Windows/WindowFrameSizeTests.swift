import GatewayModel
import HTTPTypes
import HummingbirdTesting
import Testing
import TextFormats

@testable import GatewayHTTP

@Suite("Frames from the server", .timeLimit(.minutes(10)))
struct WindowFrameSizeTests {
    static let limit = 65_536

    /// Reads the next message of the server, which must respect the limit, and its size.
    private static func receive(_ window: WindowClient) async throws -> (json: JSON, bytes: Int) {
        while let frame = await window.next() {
            guard frame.opcode == 1 else { continue }
            #expect(frame.payload.count <= limit)
            return (try JSON(String(decoding: frame.payload, as: UTF8.self)), frame.payload.count)
        }
        throw WindowEnded()
    }

    private struct WindowEnded: Error {}

    private static func quoted(_ text: String) -> String {
        var writer = JSONWriter(capacity: text.utf8.count * 2)
        writer.string(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Posts a message to each conversation, and reports that the consumer has read some of them.
    private static func post(_ api: API, to conversations: [String], read: ArraySlice<String>) async throws {
        var events = conversations.enumerated().map {
            """
            {"id":"m-\($0)","type":"agent.message","consumer":"u-1","conversation":\(quoted($1)),"text":"hello"}
            """
        }
        events += read.enumerated().map {
            """
            {"id":"r-\($0)","type":"messages.read","consumer":"u-1","conversation":\(quoted($1)),"upToSequence":1}
            """
        }
        let made = try await api.call(.post, "/v1/brands/acme/events", "[\(events.joined(separator: ","))]")
        try #require(made.status == 202, "\(made.text)")
        try #require(made["accepted"]?.int == events.count, "\(made.text.prefix(1000))")
    }

    @Test("ready names 500 of 700 conversations, those with unread messages first, and reports that there are more")
    func manyConversations() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let names = (1...700).map { "conversation-\($0)" }
            try await Self.post(api, to: names, read: names[300...])
            let session = try await api.makeSession()
            let window = try await WindowClient(port: try #require(api.client.port), as: session)
            let ready = try await Self.receive(window).json
            #expect(ready["unread"]?.int == 300)
            #expect(ready["more"]?.bool == true)
            let named = try #require(ready["conversations"]).items.compactMap { $0["id"]?.string }
            // The unread ones are older than all others.
            #expect(named == Array(names[..<300].reversed() + names[500...].reversed()))
            // A conversation that is not named exists all the same.
            window.say(#"{"type":"resume","conversations":[{"id":"conversation-301","afterSequence":0}]}"#)
            #expect(try await Self.receive(window).json["conversation"]?.string == "conversation-301")
            let counts = try await api.call(.get, "/v1/brands/acme/unread", as: session)
            #expect(counts["conversations"]?.items.compactMap { $0["id"]?.string } == named)
        }
    }

    @Test("ready with the longest ids names as many conversations as the frame holds")
    func longConversations() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let names = (100..<300).map { String(repeating: #"""#, count: 253) + "\($0)" }
            try await Self.post(api, to: names, read: [])
            let port = try #require(api.client.port)
            let window = try await WindowClient(port: port, as: try await api.makeSession())
            let (ready, bytes) = try await Self.receive(window)
            #expect(ready["unread"]?.int == 200 && ready["more"]?.bool == true)
            let named = try #require(ready["conversations"]).items.compactMap { $0["id"]?.string }
            #expect(named == Array(names.reversed().prefix(named.count)))
            #expect(bytes > Self.limit - 1000)
            let few = try await api.makeSession("u-2")
            try await api.post("x", consumer: "u-2", conversation: "c-2")
            let second = try await WindowClient(port: port, as: few)
            #expect(try await Self.receive(second).json.names == ["type", "unread", "conversations"])
        }
    }

    /// A message as it is posted, and the expected part of it.
    struct Case: Sendable, CustomStringConvertible {
        var description: String
        var text: String
        /// Additional members of the event.
        var more = ""
        /// The expected text; nil for a part of it with at least that many bytes.
        var comes: String?
        var atLeast = 0
        var isTruncated = true
    }

    private static let family: Character = "👩‍👩‍👧‍👦"
    private static let data = #","data":{"a":"\#(String(repeating: "d", count: 32_768 - 8))"}"#
    private static let rest = """
        ,"title":\(quoted(String(repeating: "\u{1}", count: 1024))),"dialog":\(quoted(String(repeating: "\"", count: 256))),
        "agent":{"id":\(quoted(String(repeating: "\"", count: 256))),
        "nickname":\(quoted(String(repeating: "\\", count: 1024)))},
        "link":{"ios":"https://a.example/\(String(repeating: "i", count: 2000))",
        "android":"https://a.example/\(String(repeating: "a", count: 2000))",
        "web":"https://a.example/\(String(repeating: "w", count: 2000))"}
        """

    static let cases = [
        Case(
            description: "the longest text and the longest data, without escapes",
            text: String(repeating: "t", count: 16_384),
            more: data,
            comes: String(repeating: "t", count: 16_384),
            isTruncated: false
        ),
        Case(
            description: "a text of characters that escape to six bytes",
            text: String(repeating: "\u{1}", count: 16_384),
            atLeast: 10_000
        ),
        Case(
            description: "the same with everything else as long as it may be",
            text: String(repeating: "\u{1}", count: 16_384),
            more: data + rest,
            atLeast: 6000
        ),
        Case(
            description: "a text that fits, with data that does not",
            text: String(repeating: "\"", count: 16_384),
            more: data,
            comes: String(repeating: "\"", count: 16_384)
        ),
        Case(
            description: "emoji of several scalars, which are not cut in two",
            text: String(repeating: String(repeating: "\u{1}", count: 30) + String(family), count: 16_384 / 55),
            more: rest,
            atLeast: 10_000
        ),
        Case(
            description: "one run of combining marks behind what fits",
            text: String(repeating: "\u{1}", count: 10_800) + String(repeating: "\u{301}\u{316}", count: 1396),
            comes: String(repeating: "\u{1}", count: 10_800) + "…"
        ),
        Case(
            description: "one run of combining marks alone, in front of what escapes",
            text: String(repeating: "\u{301}\u{316}", count: 1250) + String(repeating: "\u{1}", count: 11_384),
            atLeast: 10_000
        ),
    ]

    @Test(
        "have at most 64 KiB even for the longest message, live and resumed in order, and the whole is downloaded",
        arguments: cases
    )
    func longMessage(_ wanted: Case) async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let session = try await api.makeSession()
            let port = try #require(api.client.port)
            let window = try await WindowClient(port: port, as: session)
            _ = try await Self.receive(window)
            window.say(#"{"type":"resume","conversations":[]}"#)
            try await api.post("first")
            let made = try await api.call(
                .post,
                "/v1/brands/acme/events",
                """
                {"id":"long","type":"agent.message","consumer":"u-1","conversation":"c-1",
                "text":\(Self.quoted(wanted.text))\(wanted.more)}
                """
            )
            try #require(made.status == 202, "\(made.text)")
            try await api.post("last")
            try await WindowEventTests.postEvents(api)
            var live: [JSON] = []
            for _ in 1...3 { live.append(try await Self.receive(window).json) }
            #expect(live.map { $0["sequence"]?.int } == [1, 2, 3])
            #expect(live[0]["truncated"] == nil && live[2]["truncated"] == nil)
            let long = live[1]
            #expect(long["truncated"]?.bool == (wanted.isTruncated ? true : nil))
            let text = try #require(long["text"]?.string)
            if let comes = wanted.comes {
                #expect(text.utf8.elementsEqual(comes.utf8), "\(text.utf8.count) bytes")
            } else {
                #expect(text.utf8.count >= wanted.atLeast, "\(text.utf8.count) bytes")
                #expect(wanted.text.utf8.starts(with: text.dropLast().utf8) && text.last == "…")
                #expect(text.dropLast().last == "\u{1}" || text.dropLast().last == Self.family)
            }
            #expect((long["data"] == nil) == (wanted.isTruncated || wanted.more.isEmpty))
            let second = try await WindowClient(port: port, as: session)
            _ = try await Self.receive(second)
            second.say(#"{"type":"resume","conversations":[{"id":"c-1","afterSequence":0}]}"#)
            var resumed: [JSON] = []
            for _ in 1...3 { resumed.append(try await Self.receive(second).json) }
            #expect(resumed == live)
            let whole = try await api.call(.get, "/v1/brands/acme/messages?conversation=c-1", as: session)
            let item = try #require(whole["items"]?[1])
            #expect(try #require(item["text"]?.string).utf8.elementsEqual(wanted.text.utf8))
            #expect(item["truncated"] == nil)
        }
    }

    /// Client ids and texts of a consumer's message, and whether they are accepted.
    static let sends: [(clientID: String, text: String, isAccepted: Bool)] = [
        ("k", "x", true), (String(repeating: "k", count: 256), "x", true),
        (String(repeating: "\"", count: 256), "x", true),
        (String(repeating: "k", count: 257), "x", false), (String(repeating: "é", count: 128), "x", true),
        (String(repeating: "é", count: 129), "x", false), ("", "x", false), ("a\u{7}b", "x", false),
        ("a\u{85}b", "x", false), ("a\u{0}", "x", false), ("n-1", "a\u{0}b", false), ("n-2", "\u{0}", false),
        ("n-3", "a\u{1}b\n", true), ("n-4", "", false), ("n-5", String(repeating: "t", count: 16_384), true),
        ("n-6", String(repeating: "t", count: 16_385), false),
    ]

    @Test("the rules for a message's client id and text are those of a request")
    func sameRules() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let session = try await api.makeSession()
            try await api.post("m-1")
            let window = try await WindowClient(port: try #require(api.client.port), as: session)
            _ = try await Self.receive(window)
            for (number, send) in Self.sends.enumerated() {
                let members = #""clientId":\#(Self.quoted(send.clientID)),"text":\#(Self.quoted(send.text))"#
                let path = "/v1/brands/acme/conversations/c-1/messages"
                let posted = try await api.call(.post, path, as: session, "{\(members)}")
                #expect(posted.status == (send.isAccepted ? 201 : 422), "\(number)")
                window.say(#"{"type":"send","conversation":"c-1",\#(members)}"#)
                let response = try await Self.receive(window).json
                #expect(response["type"]?.string == (send.isAccepted ? "sent" : "error"), "\(number)")
                if send.isAccepted {
                    // The same client id means the same message.
                    #expect(
                        response["messageId"] == posted["messageId"] && response["clientId"]?.string == send.clientID
                    )
                } else {
                    let pointer = try #require(posted["errors"]?[0]?["pointer"]?.string)
                    #expect(response["detail"]?.string?.hasPrefix(pointer + " ") == true, "\(number)")
                }
            }
        }
    }

    @Test("no more is echoed than the length of a client id")
    func echoes() async throws {
        try await TestGateway.run(.live) { api in
            try await api.makeBrand()
            let window = try await WindowClient(port: try #require(api.client.port), as: try await api.makeSession())
            _ = try await Self.receive(window)
            for length in [256, 257, 10_000] {
                window.say(#"{"type":\#(Self.quoted(String(repeating: "\u{1}", count: length)))}"#)
                let (response, bytes) = try await Self.receive(window)
                #expect(response["type"]?.string == "error")
                #expect(response["ref"]?.string?.utf8.count == (length > 256 ? nil : length))
                #expect(bytes < 2000)
            }
        }
    }
}
