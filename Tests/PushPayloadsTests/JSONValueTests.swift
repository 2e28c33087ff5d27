import PushPayloads
import Testing

@Suite struct JSONValueTests {
    @Test("reads what providers send")
    func reads() throws {
        let text = #" { "a" : [1, -2.5e1, true, false, null, "x\"\\\/\n\u00e9\ud83d\ude00\ud83d"], "b":{}, "c":[] } "#
        let value = try #require(JSONValue(body: Array(text.utf8)))
        #expect(
            value["a"]
                == .array([.number(1), .number(-25), .bool(true), .bool(false), .null, .string("x\"\\/\né😀\u{FFFD}")])
        )
        #expect(value["b"] == .object([]))
        #expect(value["c"]?.elements.isEmpty == true)
        #expect(value["d"] == nil)
    }

    @Test(
        "anything else is nil, and nothing crashes",
        arguments: [
            "", " ", "{", "[", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\" 1}", "[1 2]", "\"open", "\"\\", "\"\\u12",
            "tru", "-", "<html>", "{1:2}", "{\"a\":1,}", String(repeating: "[", count: 5000),
            "{\"a\":\"" + String(repeating: "x", count: 70_000) + "\"}",
        ]
    )
    func broken(text: String) {
        #expect(JSONValue(body: Array(text.utf8)) == nil)
    }

    @Test("invalid UTF-8 is repaired, and no prefix of a body crashes")
    func damaged() {
        #expect(JSONValue(body: [0x22, 0xFF, 0x22])?.text == "\u{FFFD}")
        let body = Array(#"{"error":{"code":404,"details":[{"errorCode":"\u0055NREGISTERED"}],"x":-1.5}}"#.utf8)
        for count in 0..<body.count { #expect(JSONValue(body: Array(body.prefix(count))) == nil) }
        #expect(JSONValue(body: body)?["error"]?["details"]?.elements.first?["errorCode"]?.text == "UNREGISTERED")
    }

    @Test("integers: as numbers and as text, never outside the range")
    func integers() {
        #expect(JSONValue.number(1_454_402_113_785).integer == 1_454_402_113_785)
        #expect(JSONValue.string("1454402113785").integer == 1_454_402_113_785)
        #expect(JSONValue.number(1e300).integer == nil)
        #expect(JSONValue.number(.nan).integer == nil)
        #expect(JSONValue.bool(true).integer == nil)
    }
}
