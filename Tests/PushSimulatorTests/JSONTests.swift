import PushSimulator
import Testing
import TextFormats

@Suite struct JSONTests {
    private static func isObject(_ text: [UInt8]) throws -> Bool {
        try StrictJSON.isObject(text, maxDepth: JSONValue.maxDepth, having: StrictJSON.Selection(["/aps/"]))
    }

    @Test(
        "text that RFC 8259 does not allow is rejected, whether values are built or skipped",
        arguments: [
            "", "{", "[1,]", #"{"a":1,}"#, #"{"a" 1}"#, "{a:1}", "01", "1.", "-", "+1", "1e", ".5", "tru", "nul",
            #""a"#, "\"a\u{1}\"", #""\x""#, #""\u12g4""#, "[1] 2", "// x\n1", "NaN", #"{"a":"b" "c":"d"}"#,
            String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
        ]
    )
    func refused(text: String) {
        #expect(throws: StrictJSON.Rejection.self) { try JSONValue(parsing: Array(text.utf8)) }
        let wrapped = Array((#"{"aps":"# + text + "}").utf8)
        // None of these is valid inside an object either.
        #expect(throws: StrictJSON.Rejection.self) { try Self.isObject(wrapped) }
    }

    @Test("values are parsed as written")
    func values() throws {
        let text = #" { "a" : [ 1 , -2.5e1, true, null ], "b":"\u00e9\n\ud83d\ude00\/", "c":{} } "#
        let value = try JSONValue(parsing: Array(text.utf8))
        #expect(value["a"] == .array([.integer(1), .number(-25), .bool(true), .null]))
        #expect(value["b"] == .string("é\n😀/"))
        #expect(value["c"] == .object([]))
        #expect(try JSONValue(parsing: value.text) == value)
    }

    @Test("a repeated member and half a surrogate pair are rejected")
    func ambiguity() {
        #expect(throws: StrictJSON.Rejection.self) { try JSONValue(parsing: Array(#"{"a":1,"a":2}"#.utf8)) }
        #expect(throws: StrictJSON.Rejection.self) { try JSONValue(parsing: Array(#""\ud83d""#.utf8)) }
        #expect(throws: StrictJSON.Rejection.self) {
            try Self.isObject(Array(#"{"aps":1,"aps":2}"#.utf8))
        }
    }

    @Test(
        "the fast check finds only top-level members",
        arguments: [
            (#"{"aps":{}}"#, true), (#"{"x":{"aps":1}}"#, false), (#"["aps"]"#, false), (#"{"x":"aps"}"#, false),
            (#"{"apsx":1,"aps":[{"a":"\"}"}]}"#, true), ("{}", false), ("3", false), (#"{"aps":null}"#, true),
            (#"{"\u0061ps":"x"}"#, true), (#"{"aps":{"":1,"a":1,"a":2}}"#, true),
        ]
    )
    func quickLook(text: String, expected: Bool) throws {
        #expect(try Self.isObject(Array(text.utf8)) == expected)
    }
}
