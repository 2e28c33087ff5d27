import Testing
import TextFormats

@Suite("A selection of a JSON text")
struct StrictJSONSelectionTests {
    private static let text = #"""
        {"a":{"b":{"c":1,"d":[1,2]},"e":"x\"y\u00e9"},"list":[{"id":7},{"id":8,"other":{"x":true}}],"same":1,"same":2,\#
        "f\/g":null,"number":-1.5e3,"deep":[[[[]]]],"empty":{},"none":[],"text":"\ud83d\ude00"}
        """#

    private static func parse(_ text: String, _ pointers: String..., depth: Int = 16) throws -> StrictJSON {
        try StrictJSON.parse(Array(text.utf8), maxDepth: depth, keeping: StrictJSON.Selection(pointers))
    }

    @Test("has the values of its pointers, and nothing else")
    func keeps() throws {
        let value = try Self.parse(Self.text, "/a/b/c", "/list/1/id", "/f~1g", "/text", "/missing/x")
        let wanted = #"{"a":{"b":{"c":1}},"list":[{"id":7},{"id":8,"other":{"x":true}}],"f/g":null,"text":"😀"}"#
        #expect(value == (try StrictJSON.parse(Array(wanted.utf8))))
    }

    @Test("of a value is all that is in it, in any order of the pointers")
    func whole() throws {
        let wanted = try StrictJSON.parse(Array(#"{"a":{"b":{"c":1,"d":[1,2]}}}"#.utf8))
        #expect(try Self.parse(Self.text, "/a/b", "/a/b/c") == wanted)
        #expect(try Self.parse(Self.text, "/a/b/c", "/a/b") == wanted)
        let text = #"{"x":[{"y":1}]}"#
        #expect(try Self.parse(text, "", "/z") == StrictJSON.parse(Array(text.utf8)))
        #expect(try Self.parse(text, "x") == .object([:]), "a text that is no pointer selects nothing")
    }

    @Test("finds a member's name however it is escaped, and as bytes")
    func names() throws {
        #expect(try Self.parse(#"{"\u0061":1,"b":2}"#, "/a").value(at: "/a") == .integer(1))
        #expect(try Self.parse(#"{"\u00e9":1}"#, "/e\u{301}") == .object([:]))
        let similar = #"{"conversations":1,"conversational":2,"conversation":3,"a\u0000":4,"a":5,"a\"":6}"#
        let kept = try Self.parse(similar, "/conversation", "/a")
        #expect(kept == .object(["conversation": .integer(3), "a": .integer(5)]))
        let long = String(repeating: "a", count: BoundedName.maxBytes)
        #expect(try Self.parse(#"{"\u0061\#(long)":1,"b":2}"#, "/b") == .object(["b": .integer(2)]))
    }

    @Test(
        "rejects what is no JSON also where nothing is kept",
        arguments: [
            (#"{"x":{"y":}}"#, .syntax), (#"{"x":{"y" 1}}"#, .syntax), (#"{"x":[1,]}"#, .syntax),
            (#"{"x":tru}"#, .syntax),
            (#"{"x":"a"#, .syntax), (#"{"x":"\q"}"#, .syntax), (#"{"x":"\ud800"}"#, .syntax), (#"{"x":01}"#, .syntax),
            ("{\"x\":\"\u{1}\"}", .syntax), (#"{"x":1} 2"#, .syntax), (#"{1:2}"#, .syntax), (#"{"x":{,}}"#, .syntax),
            (#"{"x":[[[[1]]]]}"#, .depth), (#"{"k":1,"k":1}"#, .duplicate("k")),
            (#"{"k":1,"\u006b":2}"#, .duplicate("k")), (#"{"x":"\"#, .syntax), (#"{"x":"\\"#, .syntax),
            ("{\"x\":\"\\n\u{1}\"}", .syntax), (#"{"x\"y":1,}"#, .syntax),
        ] as [(String, StrictJSON.Rejection)]
    )
    func rejects(text: String, rejection: StrictJSON.Rejection) {
        #expect(throws: rejection) { try Self.parse(text, "/k", depth: 5) }
    }

    @Test("reads over texts that end with an escape")
    func escapes() throws {
        let text = #"{"x":"\\","y\"":"\"","z":"a\\\"b\u00e9","k":1}"#
        #expect(try Self.parse(text, "/k") == .object(["k": .integer(1)]))
    }

    @Test("counts the values that it does not keep")
    func values() {
        let text = #"{"x":["# + String(repeating: "1,", count: StrictJSON.maxValues) + "1]}"
        #expect(throws: StrictJSON.Rejection.values) { try Self.parse(text, "/k") }
    }
}
