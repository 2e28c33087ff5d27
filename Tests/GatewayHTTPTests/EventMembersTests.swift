import GatewayModel
import TestSupport
import Testing
import TextFormats

@testable import GatewayHTTP

@Suite("An event of members is the event of their text")
struct EventMembersTests {
    private static let now = Timestamp(milliseconds: 1_767_323_045_678)
    private static let reader = EventReader()

    /// The result of either way: the event, or the error.
    private static func outcome(_ event: () throws -> AgentEvent) throws -> String {
        do {
            let event = try event()
            return "\(event.bodyHash) \(String(reflecting: event))"
        } catch let problem as Problem { return String(reflecting: problem) }
    }

    private static func ofText(_ value: StrictJSON) throws -> String {
        try outcome {
            let batch = try WholeBody(value.sortedText, .json, now: now, reader: reader)
            if let refused = batch.refused.first { throw refused.problem }
            return try #require(batch.events.first)
        }
    }

    private static func ofMembers(_ value: StrictJSON) throws -> String {
        let members = try #require(value.members)
        return try outcome { try reader.event(of: members, now: now) }
    }

    private static let valid: StrictJSON.Members = [
        "id": .string("e-1"), "type": .string("agent.message"), "consumer": .string("u-1"),
        "text": .string("Hello é\n"), "source": .string("desk"), "conversation": .string("c-9"),
        "dialog": .string("d-9"), "sourceSequence": .integer(7),
        "agent": .object(["id": .string("8500.2001"), "nickname": .string("Dana")]), "title": .null,
        "data": .object(["order": .array([.integer(1), .otherNumber("1.5e3")]), "a": .object(["\"": .string("}\\")])]),
        "link": .object(["ios": .string("https://a/i"), "web": .string("https://c")]), "priority": .string("normal"),
        "ttlSeconds": .integer(86_400), "collapseKey": .null, "silent": .bool(true), "sound": .string(""),
        "time": .string("2026-01-02T03:04:05.678Z"), "unknown": .object(["x": .array([.integer(1)])]),
    ]

    /// Values of all kinds, good and bad.
    private static let values: [StrictJSON] = [
        .null, .bool(true), .bool(false), .integer(0), .integer(-1), .integer(.max), .otherNumber("1.5"),
        .otherNumber("1e999"), .otherNumber("92233720368547758070"), .string(""), .string("x"), .string("a\0b"),
        .string("c2m"), .string("high"), .string("2026-01-02T03:04:05Z"), .string("https://example.com/é"),
        .string(String(repeating: "long ", count: 5000)), .array([]), .array([.object([:])]), .object([:]),
        .object(["id": .integer(5)]), .object(["id": .string("7"), "nickname": .null, "other": .bool(true)]),
        .object(["ios": .string("not a link"), "android": .object([:])]), .object(["nickname": .array([])]),
        .object(["web": .otherNumber("1e999")]), .object(["id": .string("7"), "nickname": .otherNumber("0.5")]),
    ]

    private static let names: [BoundedName] = [
        "id", "type", "source", "time", "consumer", "conversation", "dialog", "sourceSequence", "agent", "text",
        "title", "data", "link", "priority", "ttlSeconds", "collapseKey", "category", "sound", "silent", "kind",
        "lookBackSeconds", "campaign", "consentCategory", "upToSequence", "upToSourceSequence", "upToMessageId",
        "other", "Id", "",
    ]

    @Test("with any value of any member", arguments: EventType.allCases)
    func same(type: EventType) throws {
        var valid = Self.valid
        valid["type"] = .string(type.rawValue)
        #expect(try Self.ofMembers(.object(valid)) == Self.ofText(.object(valid)))
        for name in Self.names {
            for value in Self.values + [nil] {
                var members = valid
                members[name] = value
                let object = StrictJSON.object(members)
                #expect(try Self.ofMembers(object) == Self.ofText(object), "\(name): \(String(describing: value))")
            }
        }
    }

    @Test("with few members, none, and an object that is deeper than an event may be")
    func shapes() throws {
        var deep = StrictJSON.null
        for _ in 0..<70 { deep = .object(["a": deep]) }
        let shapes: [StrictJSON.Members] = [
            [:], ["id": .string("e-1")], ["data": .object([:])], ["data": deep], ["agent": deep],
            ["agent": .object(["id": .string("a")]), "link": .object(["ios": .string("app://x")])],
        ]
        for members in shapes { #expect(try Self.ofMembers(.object(members)) == Self.ofText(.object(members))) }
    }

    @Test("is rejected when it is too long, wherever its bytes are")
    func length() throws {
        let half = StrictJSON.string(String(repeating: "a", count: EventParser.maxEventBytes / 2 + 1))
        for members: StrictJSON.Members in [
            ["text": half, "title": half], ["data": .object(["a": half, "b": half])],
            ["agent": .object(["id": half, "nickname": half])], ["text": half, "data": .object(["a": half])],
        ] {
            let object = StrictJSON.object(members)
            let outcome = try Self.ofMembers(object)
            #expect(try outcome == Self.ofText(object) && outcome.contains("payloadTooLarge"))
        }
    }
}
