import Foundation
import Testing
import TextFormats

@Suite("JSON of tokens is parsed strictly")
struct StrictJSONTests {
    @Test(
        "accepts the JSON of RFC 8259",
        arguments: [
            ("{}", .object([:])), (" [ ] ", .array([])), ("\t\n\r null", .null), ("true", .bool(true)),
            ("false", .bool(false)), ("0", .integer(0)), ("-0", .integer(0)), ("-12", .integer(-12)),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .otherNumber("9223372036854775808")), ("1.0", .otherNumber("1.0")),
            ("1e3", .otherNumber("1e3")), ("-1.5E-7", .otherNumber("-1.5E-7")), ("\"\"", .string("")),
            (#""\"\\\/\b\f\n\r\t""#, .string("\"\\/\u{8}\u{C}\n\r\t")),
            (#""\u0041\u00e9\uD83D\uDE00""#, .string("Aé😀")), ("\"é😀\"", .string("é😀")),
            (#""\u0000""#, .string("\0")),
            (
                #"{"a":[1,{"b":null}],"c":"d"}"#,
                .object(["a": .array([.integer(1), .object(["b": .null])]), "c": .string("d")])
            ),
        ] as [(String, StrictJSON)]
    )
    func takes(text: String, value: StrictJSON) throws {
        #expect(try StrictJSON.parse(Array(text.utf8)) == value)
    }

    @Test(
        "rejects other texts, and those that two parsers may read differently",
        arguments: [
            "", " ", "{", "}", "[", "]", "[1,]", "[,1]", "[1 2]", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{,"a":1}"#,
            "{a:1}", "{1:1}", #"{"a":1 "b":2}"#, "{}{}", "{} x", "null,", "nul", "nulll", "True", "NaN", "Infinity",
            "01", "-01", "00", "+1", "-", "1.", ".5", "1.e3", "1e", "1e+", "0x10", "1_000", "--1",
            "\"", "\"abc", "\"a\nb\"", "\"a\u{0}b\"", "\"a\u{1F}b\"", #""\x41""#, #""\u12""#, #""\u12G4""#,
            #""\u+123""#,
            #""\uD83D""#, #""\uD83Dx""#, #""\uDE00""#, #""\uD83D\uD83D""#, #""\uD83D\n""#, #""\"#, "'a'",
            "\u{FEFF}{}", "{}\u{0}", "// x\n{}", "/* */{}", "\u{A0}{}", "[1]\u{B}",
            #"{"a":1,"a":1}"#, #"{"a":1,"\u0061":2}"#, #"{"x":{"a":1,"a":2}}"#, #"[{"a":1,"a":2}]"#, #"{"":1,"":2}"#,
        ]
    )
    func refuses(text: String) {
        #expect(throws: StrictJSON.Rejection.self) { try StrictJSON.parse(Array(text.utf8)) }
    }

    @Test(
        "rejects invalid UTF-8",
        arguments: [[0xFF], [0xC3], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x80]] as [[UInt8]]
    )
    func refusesBytes(bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        #expect(throws: StrictJSON.Rejection.self) { try StrictJSON.parse([quote] + bytes + [quote]) }
    }

    @Test("has a depth limit of sixteen", arguments: ["[", #"{"a":"#])
    func depth(open: String) throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array(
                (String(repeating: open, count: depth) + "1" + String(repeating: open == "[" ? "]" : "}", count: depth))
                    .utf8
            )
        }
        #expect(throws: Never.self) { try StrictJSON.parse(nested(15)) }
        #expect(throws: StrictJSON.Rejection.self) { try StrictJSON.parse(nested(16)) }
        #expect(throws: StrictJSON.Rejection.self) { try StrictJSON.parse(nested(100_000)) }
    }

    @Test("has a limit on the number of values", arguments: ["{}", "[]", "1", #""""#])
    func values(value: String) throws {
        func list(_ count: Int) -> [UInt8] {
            Array("[\(Array(repeating: value, count: count).joined(separator: ","))]".utf8)
        }
        // The list is a value as well.
        #expect(throws: Never.self) { try StrictJSON.parse(list(StrictJSON.maxValues - 1)) }
        #expect(throws: StrictJSON.Rejection.values) { try StrictJSON.parse(list(StrictJSON.maxValues)) }
    }

    @Test("agrees with Foundation on random documents", arguments: 0..<300 as Range<UInt64>)
    func agreesWithFoundation(seed: UInt64) throws {
        var generator = RandomJSON(seed: seed)
        let value = generator.value(depth: 0)
        let text = Data(generator.text(of: value).utf8)
        #expect(try StrictJSON.parse([UInt8](text)) == value)
        let theirs = try JSONSerialization.jsonObject(with: text, options: [.fragmentsAllowed])
        #expect(RandomJSON.equal(theirs, value), "\(String(decoding: text, as: UTF8.self))")
    }

    @Test("no prefix of a document is a document", arguments: 0..<40 as Range<UInt64>)
    func truncated(seed: UInt64) {
        var generator = RandomJSON(seed: seed)
        let text = Array(
            generator.text(of: .array([generator.value(depth: 1)])).trimmingCharacters(in: .whitespacesAndNewlines).utf8
        )
        for length in 0..<text.count {
            #expect(throws: StrictJSON.Rejection.self) { try StrictJSON.parse(Array(text[..<length])) }
        }
    }
}
