import GatewayModel
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("Parsing events")
struct EventReaderTests {
    private static let now = Timestamp(milliseconds: 1_767_323_045_678)

    private func read(_ text: String, _ format: EventFormat = .json) throws -> WholeBody {
        try read(Array(text.utf8), format)
    }

    private func read(_ bytes: [UInt8], _ format: EventFormat = .json) throws -> WholeBody {
        try WholeBody(bytes, format, now: Self.now)
    }

    private func problem(_ text: String, _ format: EventFormat = .json) throws -> Problem {
        try problem(Array(text.utf8), format)
    }

    private func problem(_ bytes: [UInt8], _ format: EventFormat = .json) throws -> Problem {
        do {
            let batch = try read(bytes, format)
            return try #require(batch.refused.first).problem
        } catch let problem as Problem { return problem }
    }

    @Test("every member of the example is parsed")
    func example() throws {
        let batch = try read(
            """
            {"id":"evt-1","type":"agent.message","consumer":"u-1","conversation":"c-9","dialog":"d-9","sourceSequence":7,
             "agent":{"id":"8500.2001","nickname":"Dana"},"text":"Your order has shipped \\u00e9\\n","title":null,
             "data":{ "orderId" : "A17", "n":[1,{"}":"]"}] } ,
             "link":{"ios":"https://a/i","android":"app://b","web":"https://c"},"priority":"normal","ttlSeconds":86400,
             "collapseKey":null,"category":"AGENT_MESSAGE","sound":"default","silent":true,
             "time":"2026-01-02T03:04:05.678Z","unknown":{"x":[1,2]}}
            """
        )
        #expect(!batch.isBatch)
        let event = try #require(batch.events.first)
        #expect(event.id.rawValue == "evt-1")
        #expect(event.type == .agentMessage)
        #expect(event.source == "")
        #expect(event.consumer.rawValue == "u-1")
        #expect(event.conversation?.rawValue == "c-9")
        #expect(event.dialog == "d-9")
        #expect(event.sourceSequence == 7)
        #expect(event.agentID == "8500.2001")
        #expect(event.agentNickname == "Dana")
        #expect(event.text == "Your order has shipped é\n")
        #expect(event.title == nil)
        #expect(event.data?.text == #"{ "orderId" : "A17", "n":[1,{"}":"]"}] }"#)
        #expect(event.link == PlatformLinks(ios: "https://a/i", android: "app://b", web: "https://c"))
        #expect(event.priority == .normal)
        #expect(event.ttlSeconds == 86_400)
        #expect(event.collapseKey == nil)
        #expect(event.category == "AGENT_MESSAGE")
        #expect(event.sound == "default")
        #expect(event.silent)
        #expect(event.time == Self.now)
        #expect(!event.clampedTime)
        #expect(event.kind == .agent)
    }

    @Test(
        "each type has its required members",
        arguments: [
            (
                #"{"id":"1","type":"conversation.resolved","consumer":"u","conversation":"c"}"#,
                EventType.conversationResolved
            ),
            (#"{"id":"1","type":"agent.typing","consumer":"u","conversation":"c"}"#, .agentTyping),
            (#"{"id":"1","type":"proactive.message","consumer":"u","kind":"c2m","text":"x"}"#, .proactiveMessage),
            (
                #"{"id":"1","type":"messages.read","consumer":"u","conversation":"c","upToSourceSequence":3}"#,
                .messagesRead
            ),
        ]
    )
    func types(_ text: String, _ type: EventType) throws {
        #expect(try read(text).events.first?.type == type)
    }

    @Test("a proactive message has its kind, look-back and campaign")
    func proactive() throws {
        let batch = try read(
            """
            {"id":"1","type":"proactive.message","consumer":"u","kind":"proactive","text":"x","lookBackSeconds":60,\
            "campaign":"k"}
            """
        )
        let event = try #require(batch.events.first)
        #expect(event.kind == .proactive)
        #expect(event.lookBackSeconds == 60)
        #expect(event.campaign == "k")
    }

    @Test("a member with an escaped name is the same member, for data too")
    func escapedNames() throws {
        let batch = try read(
            #"{"\u0069d":"1","type":"agent.message","consumer":"u","text":"x","d\u0061ta":{"a":{}},"zz":[[1],{}]}"#
        )
        let event = try #require(batch.events.first)
        #expect(event.id.rawValue == "1")
        #expect(event.data?.text == #"{"a":{}}"#)
    }

    @Test(
        "an invalid member is named by its pointer",
        arguments: [
            (#"{"type":"agent.message","consumer":"u","text":"x"}"#, ["/id"]),
            (#"{"id":"1","consumer":"u","text":"x"}"#, ["/type"]),
            (#"{"id":"1","type":"agent.message","text":"x"}"#, ["/consumer"]),
            (#"{"id":"1","type":"agent.message","consumer":"u"}"#, ["/text"]),
            (#"{"id":"1","type":"agent.message","consumer":"u","text":""}"#, ["/text"]),
            (#"{"id":"1","type":"agent.message","consumer":"u","text":null}"#, ["/text"]),
            (#"{"id":"1","type":"agent.message","consumer":"u","text":"a\u0000b"}"#, ["/text"]),
            (#"{"id":"1","type":"nope","consumer":"u","text":"x"}"#, ["/type"]),
            (#"{}"#, ["/type", "/id", "/consumer"]),
            (#"{"id":"1","type":"proactive.message","consumer":"u","text":"x"}"#, ["/kind"]),
            (#"{"id":"1","type":"proactive.message","consumer":"u","text":"x","kind":"agent"}"#, ["/kind"]),
            (#"{"id":"1","type":"conversation.resolved","consumer":"u"}"#, ["/conversation"]),
            (#"{"id":"1","type":"agent.typing","consumer":"u"}"#, ["/conversation"]),
            (#"{"id":"1","type":"messages.read","consumer":"u"}"#, ["/conversation", "/upToSequence"]),
            (#"{"id":"1","type":"messages.read","consumer":"u","conversation":"c"}"#, ["/upToSequence"]),
            (
                #"{"id":"1","type":"messages.read","consumer":"u","conversation":"c","upToSequence":1,"upToSourceSequence":1}"#,
                ["/upToSequence"]
            ),
            (
                #"{"id":"1","type":"messages.read","consumer":"u","conversation":"c","upToMessageId":"x"}"#,
                ["/upToMessageId"]
            ),
        ]
    )
    func required(_ text: String, _ pointers: [String]) throws {
        let problem = try problem(text)
        #expect(problem.status == 422)
        #expect(problem.code == .invalidRequest)
        #expect(problem.errors.map(\.pointer) == pointers)
    }

    @Test(
        "every member has a type and a range",
        arguments: [
            ("id", "7", "/id"), ("id", #""""#, "/id"), ("id", #""a\u0007""#, "/id"), ("id", #""a\u0085""#, "/id"),
            ("consumer", "{}", "/consumer"), ("conversation", "[]", "/conversation"), ("dialog", "1", "/dialog"),
            ("source", "1", "/source"), ("sourceSequence", "-1", "/sourceSequence"),
            ("sourceSequence", "1.5", "/sourceSequence"), ("sourceSequence", #""7""#, "/sourceSequence"),
            ("sourceSequence", "99999999999999999999999", "/sourceSequence"),
            ("sourceSequence", "9223372036854775808", "/sourceSequence"), ("ttlSeconds", "1e999", "/ttlSeconds"),
            ("agent", #""Dana""#, "/agent"), ("agent", #"{"id":5}"#, "/agent/id"),
            ("agent", #"{"nickname":[]}"#, "/agent/nickname"), ("agent", #"{"id":"1","id":"2"}"#, "/agent/id"),
            ("text", "5", "/text"), ("title", "5", "/title"), ("data", #""x""#, "/data"), ("data", "[]", "/data"),
            ("link", #""x""#, "/link"), ("link", #"{"ios":"http://x"}"#, "/link/ios"),
            ("link", #"{"android":"javascript:alert(1)"}"#, "/link/android"),
            ("link", #"{"web":"no scheme"}"#, "/link/web"),
            ("link", #"{"web":"a","web":"b"}"#, "/link/web"), ("priority", #""urgent""#, "/priority"),
            ("priority", "1", "/priority"), ("ttlSeconds", "-1", "/ttlSeconds"),
            ("ttlSeconds", "2419201", "/ttlSeconds"),
            ("collapseKey", "5", "/collapseKey"), ("collapseKey", #""a\nb""#, "/collapseKey"),
            ("category", "false", "/category"), ("sound", "{}", "/sound"), ("silent", #""true""#, "/silent"),
            ("silent", "1", "/silent"), ("time", #""yesterday""#, "/time"), ("time", "5", "/time"),
            ("unknown", #"1,"unknown":2"#, "/unknown"), ("a/b~", #"1,"a/b~":2"#, "/a~1b~0"),
        ]
    )
    func members(_ name: String, _ value: String, _ pointer: String) throws {
        var members = ["id": #""1""#, "type": #""agent.message""#, "consumer": #""u""#, "text": #""x""#]
        members[name] = value
        let text = "{" + members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
        let problem = try problem(text)
        #expect(problem.status == 422)
        #expect(problem.errors.map(\.pointer) == [pointer])
    }

    @Test(
        "lengths are limited in bytes",
        arguments: [
            ("id", 256, "/id"), ("consumer", 256, "/consumer"), ("conversation", 256, "/conversation"),
            ("dialog", 256, "/dialog"), ("collapseKey", 64, "/collapseKey"), ("category", 64, "/category"),
            ("sound", 64, "/sound"), ("text", 16_384, "/text"), ("title", 1024, "/title"), ("source", 512, "/source"),
        ]
    )
    func lengths(_ name: String, _ limit: Int, _ pointer: String) throws {
        func text(_ count: Int) -> String {
            var members = ["id": "1", "type": "agent.message", "consumer": "u", "text": "x"]
            members[name] = String(repeating: "a", count: count)
            return "{" + members.map { "\"\($0.key)\":\"\($0.value)\"" }.joined(separator: ",") + "}"
        }
        #expect(try read(text(limit)).events.count == 1)
        #expect(try problem(text(limit + 1)).errors.map(\.pointer) == [pointer])
    }

    @Test(
        "text that is not JSON is 400",
        arguments: [
            "", "   ", "{", "[", "nope", #"{"id":"1""#, #"{"id":"1"} x"#, #"{"id":"1"}{"id":"2"}"#, "{'id':1}",
            #"{"id":01}"#, #"{"id":"1",}"#, #"[{"id":"1"},]"#, #"[{"id":"1"}"#, #"[{"id":"1"}] x"#, #"[{"id":"1"} {}]"#,
            #"{"text":"\ud800"}"#, #"{"text":"\udc00x"}"#, "{\"text\":\"a\nb\"}", "5", "null", "\"x\"", "\u{FEFF}{}",
            #"{"a":1e}"#, #"{"a":-}"#, #"{"a":.5}"#,
        ]
    )
    func unreadable(_ text: String) throws {
        let problem = try problem(text)
        #expect(problem.status == 400)
        #expect(problem.code == .invalidRequest)
    }

    @Test(
        "invalid UTF-8 is 400",
        arguments: [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0xAF], [0xF5, 0x80, 0x80, 0x80]]
    )
    func invalidUTF8(_ sequence: [UInt8]) throws {
        let bytes =
            Array(#"{"id":"1","type":"agent.message","consumer":"u","text":"a"#.utf8) + sequence + Array(#"b"}"#.utf8)
        #expect(try problem(bytes).status == 400)
        #expect(try problem(Array("[".utf8) + bytes + Array("]".utf8)).status == 400)
    }

    @Test("depth is limited and never causes a crash", arguments: [65, 1000, 100_000])
    func depth(_ depth: Int) throws {
        let nested = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect(try problem(#"{"id":"1","data":{"a":"# + nested + "}}").status == 400)
        // Unclosed brackets, too.
        #expect(try problem(#"{"id":"1","data":{"a":"# + String(repeating: "[", count: depth)).status == 400)
        #expect(try problem(String(repeating: "[", count: depth)).status == 400)
    }

    @Test("60 levels of data are accepted")
    func shallow() throws {
        let nested = String(repeating: "[", count: 60) + String(repeating: "]", count: 60)
        let text = #"{"id":"1","type":"agent.message","consumer":"u","text":"x","data":{"a":"# + nested + "}}"
        #expect(try read(text).events.first?.data?.text == #"{"a":"# + nested + "}")
    }

    @Test("an invalid line is rejected individually, the others stay")
    func lines() throws {
        let good = #"{"id":"ID","type":"agent.message","consumer":"u","text":"x"}"#
        let text = """
            \(good.replacing("ID", with: "1"))\r

            not json
              \(good.replacing("ID", with: "2"))
            {"id":"3","type":"agent.message"}
            5
            {"id":"4","id":"5"}
            \(String(repeating: "[", count: 500))
            \(good.replacing("ID", with: "6"))
            """
        let batch = try read(text, .lines)
        #expect(batch.isBatch)
        #expect(batch.events.map(\.id.rawValue) == ["1", "2", "6"])
        #expect(batch.refused.map(\.index) == [1, 3, 4, 5, 6])
        #expect(batch.refused.map(\.id) == [nil, "3", nil, nil, nil])
        #expect(batch.refused[1].problem.errors.map(\.pointer) == ["/consumer", "/text"])
    }

    @Test("an array of any length is a batch; an invalid element is rejected individually")
    func arrays() throws {
        #expect(try read(" [ ] ").isBatch)
        #expect(try read("[]").count == 0)
        let good = #"{"id":"1","type":"agent.message","consumer":"u","text":"a\"]},[{\\"}"#
        let batch = try read(" [ \(good) , 5,{\"id\":\"2\"},\(good)]\n")
        #expect(batch.isBatch)
        #expect(batch.events.map(\.text) == [#"a"]},[{\"#, #"a"]},[{\"#])
        #expect(batch.refused.map(\.index) == [1, 2])
    }

    @Test("more than 10,000 events are 413")
    func tooMany() throws {
        let line = #"{"id":"1","type":"agent.message","consumer":"u","text":"x"}"# + "\n"
        #expect(try read(String(repeating: line, count: 10_000), .lines).events.count == 10_000)
        #expect(try problem(String(repeating: line, count: 10_001), .lines).code == .payloadTooLarge)
        let array = "[" + Array(repeating: "0", count: 10_001).joined(separator: ",") + "]"
        #expect(throws: Problem(.payloadTooLarge, "A request must have at most 10000 events.")) { try read(array) }
    }

    @Test("an event longer than 1 MiB is rejected individually")
    func tooLong() throws {
        let text = #"{"id":"1","pad":""# + String(repeating: "a", count: 1 << 20) + #""}"#
        #expect(try problem(text).code == .payloadTooLarge)
        let batch = try read(text + "\n" + #"{"id":"2","type":"agent.message","consumer":"u","text":"x"}"#, .lines)
        #expect(batch.events.count == 1)
        #expect(batch.refused.map(\.problem.code) == [.payloadTooLarge])
    }

    @Test(
        "a time far from now is moved to the limit",
        arguments: [
            ("2026-01-02T03:04:05.678Z", Int64(0), false), ("2020-01-01T00:00:00Z", Int64(-604_800_000), true),
            ("2030-01-01T00:00:00Z", Int64(300_000), true),
            ("2026-01-02T04:08:05.678+01:00", Int64(240_000), false),
        ]
    )
    func clamping(_ time: String, _ offset: Int64, _ clamped: Bool) throws {
        let text = #"{"id":"1","type":"agent.message","consumer":"u","text":"x","time":"\#(time)"}"#
        let event = try #require(try read(text).events.first)
        #expect(event.time == Self.now.adding(milliseconds: offset))
        #expect(event.clampedTime == clamped)
    }

    @Test("the hash covers the content of an event: order, spacing, escapes and unknown members make no difference")
    func hash() throws {
        let text = #"{"id":"1","type":"agent.message","consumer":"u","text":"x y","data":{"a":[1,"b \" c"]}}"#
        let first = try #require(try read(text).events.first)
        for other in [
            "[ \(text) ]", text.replacing("\"text\":", with: " \"text\" : "), text.replacing("x", with: "\\u0078"),
            text.replacing("[1,", with: "[ 1,\n\t"), text.replacing("{\"id\"", with: "{\"unknown\":5,\"id\""),
            #"{"data":{"a":[1,"b \" c"]},"text":"x y","consumer":"u","title":null,"id":"1","type":"agent.message"}"#,
            text.replacing("\"1\"", with: "\"2\""), text.replacing("{\"id\"", with: "{\"source\":\"s\",\"id\""),
        ] { #expect(try read(other).events.first?.bodyHash == first.bodyHash, "\(other)") }
        for other in [
            text.replacing("x y", with: "xy"), text.replacing("b \\\" c", with: "b \\\"c"),
            text.replacing("[1", with: "[2"),
            text.replacing("\"text\"", with: "\"title\":\"\",\"text\""),
            text.replacing("\"text\"", with: "\"time\":\"2026-01-02T03:04:05.678Z\",\"text\""),
            text.replacing("agent.message", with: "conversation.resolved"),
            text.replacing("\"u\"", with: "\"v\""), text.replacing("\"text\"", with: "\"silent\":true,\"text\""),
        ] { #expect(try read(other).events.first?.bodyHash != first.bodyHash, "\(other)") }
        // The value is stored: it must not change between versions.
        #expect(first.bodyHash == 14_298_650_723_994_566_706)
    }

    @Test("mutated events never cause a crash, and parsed events are valid")
    func fuzz() throws {
        let seeds = [
            #"{"id":"evt-1","type":"agent.message","consumer":"u-1","conversation":"c-9","sourceSequence":7,"#
                + #""agent":{"id":"8500","nickname":"D\u00e9"},"text":"hello","data":{"a":[1,{"b":null}]},"#
                + #""link":{"ios":"https://x.y"},"ttlSeconds":86400,"silent":false,"time":"2026-01-02T03:04:05Z"}"#,
            #"[{"id":"1","type":"messages.read","consumer":"u","conversation":"c","upToSequence":4},{"id":"\n"}]"#,
        ]
        let pieces = [
            "\"", "{", "}", "[", "]", ",", ":", "\\", "\\u", "\u{0}", "1e99", "-", "null", "\"id\":\"1\"", " ", "\n",
        ]
        var random = SplitMix(seed: 20_260_102)
        let reader = EventReader()
        var taken = 0
        var refused = 0
        for round in 0..<20_000 {
            var bytes = Array(seeds[round % seeds.count].utf8)
            for _ in 0...Int(random.next() % 4) {
                let at = Int(random.next() % UInt64(bytes.count))
                switch random.next() % 4 {
                case 0: bytes[at] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.removeSubrange(at..<min(bytes.count, at + Int(random.next() % 9)))
                case 2: bytes.insert(contentsOf: pieces[Int(random.next() % UInt64(pieces.count))].utf8, at: at)
                default: bytes.insert(contentsOf: bytes[at..<min(bytes.count, at + Int(random.next() % 40))], at: at)
                }
                if bytes.isEmpty { bytes = [0x20] }
            }
            let format: EventFormat = random.next() % 3 == 0 ? .lines : .json
            let batch = try? WholeBody(bytes, format, now: Self.now, reader: reader)
            taken += batch?.events.count ?? 0
            refused += batch?.refused.count ?? 1
            for event in batch?.events ?? [] {
                #expect(EventID.isValid(event.id.rawValue))
                #expect(ConsumerID.isValid(event.consumer.rawValue))
                #expect(event.data.map { $0.text.first == "{" && $0.text.last == "}" } ?? true)
            }
        }
        // Enough mutations are valid, and enough are not.
        #expect(taken > 500)
        #expect(refused > 1000)
    }
}
