import Identity
import Testing
import TextFormats

@testable import GatewayHTTP

@Suite("A mapping makes an event of any JSON")
struct HookMappingTests {
    private static let mapping = """
        {"filter":{"/type":["reply","comment"],"/ticket/public":true},"event":{"type":"agent.message",\
        "consumer":{"pointer":"/ticket/requester/id"},"conversation":{"pointer":"/ticket/id"},\
        "text":{"pointer":"/comment/body"},"agent":{"nickname":{"pointer":"/comment/author"},"id":"desk"},\
        "sourceSequence":{"pointer":"/comment/number"},"data":{"order":{"pointer":"/order"},"from":"desk"}}}
        """
    private static let body = """
        {"type":"reply","ticket":{"id":17,"public":true,"requester":{"id":4711}},\
        "comment":{"body":"Hello","author":"Dana","number":3},"order":{"id":9,"total":1.5}}
        """

    private static func json(_ text: String) throws -> StrictJSON { try StrictJSON.parse(Array(text.utf8)) }

    private static func translate(_ body: String, _ mapping: String = Self.mapping) throws -> HookTranslation {
        let prepared = PreparedMapping(try json(mapping))
        let mapping = try #require(prepared)
        let values = try StrictJSON.parse(Array(body.utf8), maxDepth: 16, selecting: mapping.selection)
        return try HookMapping.translate(values, by: mapping, id: "m-1", source: "hook/desk")
    }

    @Test("pointers and constants, also within objects; ids that are numbers become texts, and data stays")
    func maps() throws {
        let wanted = """
            {"agent":{"id":"desk","nickname":"Dana"},"consumer":"4711","conversation":"17",\
            "data":{"from":"desk","order":{"id":9,"total":1.5}},"id":"m-1","source":"hook/desk","sourceSequence":3,\
            "text":"Hello","type":"agent.message"}
            """
        guard case .event(let members, let missing) = try Self.translate(Self.body) else {
            Issue.record("it was ignored")
            return
        }
        #expect(try StrictJSON.object(members) == Self.json(wanted))
        #expect(missing.isEmpty)
        let named = #"{"event":{"type":"x","consumer":"u","id":{"pointer":"/ticket/id"},"source":"s"}}"#
        let other = try Self.json(#"{"type":"x","consumer":"u","id":"17","source":"s"}"#)
        #expect(try Self.translate(Self.body, named) == .event(other.members ?? [:], missing: []))
    }

    @Test("the filter must match in all its places; a list matches any of its values, an absent value only null")
    func filters() throws {
        for body in [
            Self.body.replacing("reply", with: "note"), Self.body.replacing("true", with: "false"),
            Self.body.replacing("\"public\"", with: "\"other\""),
        ] {
            #expect(try Self.translate(body) == .ignored(.filter))
        }
        let null = #"{"filter":{"/nothing":null},"event":{}}"#
        #expect(try Self.translate(Self.body, null) != .ignored(.filter))
        #expect(try Self.translate(#"{"nothing":1}"#, null) == .ignored(.filter))
    }

    @Test("a pointer that finds nothing is reported, and its member is left out")
    func missing() throws {
        let body = Self.body.replacing("\"author\":\"Dana\"", with: "\"author\":null")
            .replacing("\"requester\"", with: "\"sender\"")
        guard case .event(let members, let missing) = try Self.translate(body) else {
            Issue.record("it was ignored")
            return
        }
        #expect(Set(missing.map(\.pointer)) == ["/agent/nickname", "/consumer"])
        #expect(members["consumer"] == nil && members["agent"] == .object(["id": .string("desk")]))
    }

    @Test("an event cannot become longer than a posted one by naming a long value many times")
    func bounded() throws {
        let long = #"{"text":"\#(String(repeating: "a", count: 100_000))"}"#
        let names = (0..<11).map { #""m\#($0)":{"pointer":"/text"}"# }.joined(separator: ",")
        #expect(throws: Problem.self) { try Self.translate(long, #"{"event":{"data":{\#(names)}}}"#) }
        let few = #"{"event":{"data":{"m":{"pointer":"/text"}}}}"#
        #expect(throws: Never.self) { try Self.translate(long, few) }
    }

    @Test(
        "an invalid mapping is rejected with the place of each error",
        arguments: [
            ("{}", "/mapping/event"), (#"{"event":{"consumer":"u"}}"#, "/mapping/event/type"),
            (#"{"event":{"type":"agent.message"}}"#, "/mapping/event/consumer"),
            (#"{"event":{"type":"agent.shout","consumer":"u"}}"#, "/mapping/event/type"),
            (#"{"event":{"type":"agent.typing","consumer":"u","txt":"x"}}"#, "/mapping/event/txt"),
            (#"{"event":{"type":"agent.typing","consumer":{"pointer":"id"}}}"#, "/mapping/event/consumer/pointer"),
            (
                #"{"event":{"type":"agent.typing","consumer":"u","agent":{"id":{"pointer":"/~2"}}}}"#,
                "/mapping/event/agent/id/pointer"
            ), (#"{"filter":{"a":1},"event":{"type":"agent.typing","consumer":"u"}}"#, "/mapping/filter/a"),
            (#"{"filter":{"/a":{}},"event":{"type":"agent.typing","consumer":"u"}}"#, "/mapping/filter/~1a"),
            (#"{"filter":{"/a":[[1]]},"event":{"type":"agent.typing","consumer":"u"}}"#, "/mapping/filter/~1a"),
            (#"{"more":1,"event":{"type":"agent.typing","consumer":"u"}}"#, "/mapping/more"), ("5", "/mapping"),
        ]
    )
    func invalid(mapping: String, pointer: String) throws {
        var checks = FieldChecks()
        _ = HookMapping.read(BodyMember(at: .pointer("/mapping"), value: try Self.json(mapping)), &checks)
        #expect(checks.problems.map(\.pointer) == [pointer])
    }

    @Test("a mapping is stored with its members sorted; a large or deep one is rejected")
    func stored() throws {
        func read(_ mapping: StrictJSON) -> (text: String?, isValid: Bool) {
            var checks = FieldChecks()
            let text = HookMapping.read(BodyMember(at: .pointer("/mapping"), value: mapping), &checks)
            return (text, checks.problems.isEmpty)
        }
        let sorted = #"{"event":{"consumer":"u","type":"agent.typing"},"filter":{"/a":1}}"#
        let given = #"{"filter":{"/a":1},"event":{"type":"agent.typing","consumer":"u"}}"#
        let (text, isValid) = read(try Self.json(given))
        #expect(text == sorted && isValid)
        func data(_ data: String) throws -> StrictJSON {
            let text = #"{"event":{"type":"agent.typing","consumer":"u","data":\#(data)}}"#
            return try StrictJSON.parse(Array(text.utf8), maxDepth: 64)
        }
        let deep = String(repeating: #"{"a":"#, count: 20) + "1" + String(repeating: "}", count: 20)
        let many = "{" + (0..<130).map { #""m\#($0)":1"# }.joined(separator: ",") + "}"
        let large = #"{"a":"\#(String(repeating: "a", count: HookMapping.maxBytes))"}"#
        for bad in [deep, many, large] { #expect(read(try data(bad)).isValid == false) }
        #expect(read(try data("{}")).isValid)
    }
}
