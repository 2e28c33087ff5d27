import Testing
import TextFormats

@Suite("Writing JSON")
struct StrictJSONWritingTests {
    @Test(
        "gives the parsed value with its members sorted",
        arguments: [
            (#"{ "b" : [ 1, -2 , [], {} ], "a" : null }"#, #"{"a":null,"b":[1,-2,[],{}]}"#),
            (
                #""\"\\\/\b\f\n\r\t\u0000\u001f\u007f\u00e9\ud83d\ude00""#,
                "\"\\\"\\\\/\\u0008\\u000c\\u000a\\u000d\\u0009\\u0000\\u001f\u{7F}é😀\""
            ),
            ("-9223372036854775808", "-9223372036854775808"), (#"{"":true,"A":false}"#, #"{"":true,"A":false}"#),
        ]
    )
    func texts(_ text: String, _ expected: String) throws {
        let value = try StrictJSON.parse(Array(text.utf8))
        let written = value.sortedText
        #expect(String(decoding: written, as: UTF8.self) == expected)
        #expect(try StrictJSON.parse(written) == value)
    }

    @Test(
        "keeps numbers that are not whole, or too large, as they are written",
        arguments: ["1.5", "[1.50,-0.0,1e2]", #"{"a":[{"b":9223372036854775808}]}"#]
    )
    func numbers(_ text: String) throws {
        #expect(try StrictJSON.parse(Array(text.utf8)).sortedText == Array(text.utf8))
    }
}
