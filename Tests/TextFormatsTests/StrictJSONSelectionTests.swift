import Testing
import TextFormats

@Suite("A selection of a JSON text")
struct StrictJSONSelectionTests {
    private static let text = #"""
        {"a":{"b":{"c":1,"d":[1,2]},"e":"x\"y\u00e9"},"list":[{"id":7},{"id":8,"other":{"x":true}}],"same":1,"same":2,\#
        "f\/g":null,"number":-1.5e3,"deep":[[[[]]]],"empty":{},"none":[],"text":"\ud83d\ude00"}
        """#

    private static func parse(_ text: String, _ pointers: String..., depth: Int = 16) throws -> [StrictJSON?] {
        try StrictJSON.parse(Array(text.utf8), maxDepth: depth, selecting: StrictJSON.Selection(pointers))
    }

    private static func json(_ text: String) throws -> StrictJSON { try StrictJSON.parse(Array(text.utf8)) }

    @Test("has the values of its pointers, in their order")
    func values() throws {
        let found = try Self.parse(
            Self.text,
            "/list/1/id",
            "/a/b/c",
            "/f~1g",
            "/text",
            "/missing/x",
            "/text",
            "/list/2/id",
            "/list/id",
            "/text/x",
            "/empty",
            "/none",
            "/none/0"
        )
        #expect(
            found == [
                .integer(8), .integer(1), .null, .string("😀"), nil, .string("😀"), nil, nil, nil, .object([:]),
                .array([]), nil,
            ]
        )
    }

    @Test("of a value is all that is in it, in any order of the pointers")
    func whole() throws {
        let whole = try Self.json(#"{"c":1,"d":[1,2]}"#)
        #expect(try Self.parse(Self.text, "/a/b", "/a/b/c", "/a/b/d/1") == [whole, .integer(1), .integer(2)])
        #expect(try Self.parse(Self.text, "/a/b/d/1", "/a/b/c", "/a/b") == [.integer(2), .integer(1), whole])
        let text = #"{"x":[{"y":1}]}"#
        #expect(try Self.parse(text, "", "/z", "/x/0/y") == [Self.json(text), nil, .integer(1)])
        #expect(try Self.parse(text, "x", "/x/0") == [nil, Self.json(#"{"y":1}"#)], "a text that is no pointer")
        #expect(try Self.parse(text).isEmpty)
        #expect(try Self.parse("[5]", "/0", "") == [.integer(5), .array([.integer(5)])])
    }

    @Test("finds a member's name however it is escaped, and as bytes")
    func names() throws {
        #expect(try Self.parse(#"{"\u0061":1,"b":2}"#, "/a") == [.integer(1)])
        #expect(try Self.parse(#"{"\u00e9":1}"#, "/e\u{301}") == [nil])
        let similar = #"{"conversations":1,"conversational":2,"conversation":3,"a\u0000":4,"a":5,"a\"":6}"#
        #expect(try Self.parse(similar, "/conversation", "/a") == [.integer(3), .integer(5)])
        let long = String(repeating: "a", count: BoundedName.maxBytes)
        #expect(try Self.parse(#"{"\u0061\#(long)":1,"b":2}"#, "/b", "/a" + long) == [.integer(2), nil])
    }

    @Test("finds the end of a text at each of its places, beside quotes, escapes and control characters")
    func ends() throws {
        for length in 0...40 {
            let plain = String(repeating: "é", count: length / 2) + String(repeating: "z", count: length % 2)
            for (written, read) in [
                ("", ""), (#"\""#, "\""), (#"\\"#, "\\"), (#"\n"#, "\n"), ("\u{7F}", "\u{7F}"),
                ("!#[] ", "!#[] "),
            ] {
                let text = #"{"x":"\#(plain)\#(written)\#(plain)","k":"\#(plain)\#(written)"}"#
                #expect(try Self.parse(text, "/k") == [.string(plain + read)], "\(text)")
            }
            for control: Unicode.Scalar in ["\0", "\u{1}", "\n", "\u{1F}"] {
                let text = "{\"x\":\"\(plain)\(control)\(plain)\",\"k\":1}"
                #expect(throws: StrictJSON.Rejection.syntax) { try Self.parse(text, "/k") }
                #expect(throws: StrictJSON.Rejection.syntax) { try Self.parse(text, "/x") }
            }
        }
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
            (#"{"o":{"p":1},"o":2}"#, .duplicate("o")), (#"{"o":{"p":1,"p":2}}"#, .duplicate("p")),
        ] as [(String, StrictJSON.Rejection)]
    )
    func rejects(text: String, rejection: StrictJSON.Rejection) {
        #expect(throws: rejection) { try Self.parse(text, "/k", "/o/p", depth: 5) }
    }

    @Test("reads over texts that end with an escape")
    func escapes() throws {
        let text = #"{"x":"\\","y\"":"\"","z":"a\\\"b\u00e9","k":1}"#
        #expect(try Self.parse(text, "/k") == [.integer(1)])
    }

    @Test("counts the values that it does not keep")
    func tooMany() {
        let text = #"{"x":["# + String(repeating: "1,", count: StrictJSON.maxValues) + "1]}"
        #expect(throws: StrictJSON.Rejection.values) { try Self.parse(text, "/k") }
    }
}
