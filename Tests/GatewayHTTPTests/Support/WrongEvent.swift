import Testing

@testable import GatewayHTTP

/// An event that is valid except for one member.
struct WrongEvent: Sendable, CustomTestStringConvertible {
    var members: PostedForm.Members
    var name: String
    var pointer: String
    var detail: String

    var testDescription: String { "\(name): \(detail)" }

    /// Whether the member can be invalid like this in a format: headers are always texts.
    func isPossible(in form: PostedForm) -> Bool {
        guard PostedForm.attributes.contains(name) else { return true }
        if form == .binary { return detail == "missing" || detail == "null" || members.contains { isText($0) } }
        return true
    }

    private func isText(_ member: (name: String, value: String)) -> Bool {
        member.name == name && member.value.hasPrefix("\"")
    }

    static let message: PostedForm.Members = [
        ("id", #""1""#), ("type", #""agent.message""#), ("consumer", #""u-1""#), ("conversation", #""c-1""#),
        ("text", #""x""#),
    ]
    static let proactive: PostedForm.Members = [
        ("id", #""1""#), ("type", #""proactive.message""#), ("consumer", #""u-1""#), ("text", #""x""#),
        ("kind", #""c2m""#),
    ]
    static let read: PostedForm.Members = [
        ("id", #""1""#), ("type", #""messages.read""#), ("consumer", #""u-1""#), ("conversation", #""c-1""#),
        ("upToSequence", "1"),
    ]
    static let typing: PostedForm.Members = [
        ("id", #""1""#), ("type", #""agent.typing""#), ("consumer", #""u-1""#), ("conversation", #""c-1""#),
    ]
    static let resolved: PostedForm.Members = [
        ("id", #""1""#), ("type", #""conversation.resolved""#), ("consumer", #""u-1""#), ("conversation", #""c-1""#),
    ]

    /// Returns an event with another value of one member.
    static func with(
        _ name: String,
        _ value: String,
        in members: PostedForm.Members = message
    ) -> PostedForm.Members { members.filter { $0.name != name } + [(name, value)] }

    private static func text(_ count: Int) -> String { "\"" + String(repeating: "a", count: count) + "\"" }

    /// The invalid values of each member, for an event of a type.
    private static func wrong(
        _ base: PostedForm.Members,
        _ name: String,
        at pointer: String? = nil,
        _ values: String...
    ) -> [WrongEvent] {
        values.map { value in
            let rest = base.filter { $0.name != name }
            let members = value == "missing" ? rest : rest + [(name, value)]
            return WrongEvent(
                members: members,
                name: name,
                pointer: pointer ?? "/" + name,
                detail: String(value.prefix(40))
            )
        }
    }

    /// Every member with every kind of invalid value.
    static let all: [WrongEvent] = [
        wrong(
            message,
            "id",
            "missing",
            "null",
            "7",
            "{}",
            "[]",
            "true",
            #""""#,
            #""a\u0007""#,
            #""\u0085""#,
            text(257)
        ),
        wrong(message, "type", "missing", "null", "7", "[]", #""""#, #""agent.shout""#, #""Agent.Message""#),
        wrong(message, "consumer", "missing", "null", "7", "{}", #""""#, #""a\nb""#, text(257)),
        wrong(message, "conversation", "7", "[]", #""""#, #""\u0000""#, text(257)),
        wrong(message, "source", "7", "{}", #""a\u007f""#, text(513)),
        wrong(
            message,
            "time",
            "7",
            "{}",
            #""""#,
            #""yesterday""#,
            #""2026-02-30T00:00:00Z""#,
            #""2026-01-02 03:04:05""#
        ),
        wrong(message, "dialog", "7", "[]", #""""#, #""\t""#, text(257)),
        wrong(
            message,
            "sourceSequence",
            #""7""#,
            "-1",
            "1.5",
            "1.0",
            "-0.0",
            "1e2",
            "1e999",
            "9223372036854775808",
            "{}"
        ),
        wrong(message, "agent", #""Dana""#, "7", "[]", "true"),
        wrong(
            message,
            "agent",
            at: "/agent/id",
            #"{"id":7}"#,
            #"{"id":""}"#,
            #"{"id":"\u0001"}"#,
            #"{"id":"1","id":"2"}"#
        ),
        wrong(message, "agent", at: "/agent/nickname", #"{"nickname":[]}"#, #"{"nickname":""}"#, #"{"nickname":"\n"}"#),
        wrong(message, "text", "missing", "null", "7", "{}", #""""#, #""a\u0000""#, text(16_385)),
        wrong(message, "title", "7", "[]", #""\u0000""#, text(1025)),
        wrong(message, "data", "7", "[]", #""x""#, "true", #"{"a":\#(text(32_768))}"#),
        wrong(message, "link", "7", "[]", #""https://x""#),
        wrong(
            message,
            "link",
            at: "/link/ios",
            #"{"ios":7}"#,
            #"{"ios":""}"#,
            #"{"ios":"http://x"}"#,
            #"{"ios":"https:"}"#
        ),
        wrong(message, "link", at: "/link/android", #"{"android":"javascript:x"}"#, #"{"android":"a b:c"}"#),
        wrong(
            message,
            "link",
            at: "/link/web",
            #"{"web":"x"}"#,
            #"{"web":"a:b","web":"a:b"}"#,
            #"{"web":\#(text(2049))}"#
        ),
        wrong(message, "priority", "7", #""""#, #""urgent""#, #""HIGH""#),
        wrong(message, "ttlSeconds", #""7""#, "-1", "2419201", "0.5", "1e999", "[]"),
        wrong(message, "collapseKey", "7", #""""#, #""\n""#, text(65)),
        wrong(message, "category", "7", #""""#, #""\u009f""#, text(65)),
        wrong(message, "sound", "7", #""""#, text(65)),
        wrong(message, "silent", "7", #""true""#, "{}"),
        wrong(proactive, "text", "missing", "null", #""""#),
        wrong(proactive, "kind", "missing", "null", "7", #""""#, #""agent""#),
        wrong(proactive, "lookBackSeconds", "-1", "31536001", #""1""#, "1.5"),
        wrong(proactive, "campaign", "7", #""""#, text(257)),
        wrong(read, "conversation", "missing", "null"),
        wrong(read, "upToSequence", "missing", "null", "-1", "1.5", #""1""#),
        wrong(read, "upToSourceSequence", at: "/upToSequence", "1"),
        wrong(read, "upToSourceSequence", "-1", "9223372036854775808", "[]"),
        wrong(read, "upToMessageId", "7", #""x""#, #""0190c1de""#),
        wrong(typing, "conversation", "missing", "null", "7"),
        wrong(resolved, "conversation", "missing", "null", "{}"),
    ].flatMap(\.self)
}
