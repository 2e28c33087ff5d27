import Testing
import TextFormats

@Suite("Percent-encoding")
struct PercentEncodingTests {
    @Test(
        "a text is encoded once, for its place",
        arguments: [
            ("a-Z0.9_~", "a-Z0.9_~", "a-Z0.9_~", "a-Z0.9_%7E"), ("a/b c", "a%2Fb%20c", "a%2Fb%20c", "a%2Fb+c"),
            ("%41", "%2541", "%2541", "%2541"), ("x:y*", "x%3Ay%2A", "x:y%2A", "x%3Ay*"),
            ("é?#&=+", "%C3%A9%3F%23%26%3D%2B", "%C3%A9%3F%23%26%3D%2B", "%C3%A9%3F%23%26%3D%2B"), ("", "", "", ""),
        ]
    )
    func encoding(text: String, component: String, segment: String, form: String) {
        #expect(PercentEncoding.encode(text.utf8, .component) == component)
        #expect(PercentEncoding.encode(text.utf8, .segment) == segment)
        #expect(PercentEncoding.encode(text.utf8, .form) == form)
        #expect(PercentEncoding.encode(AnyCollection(text.utf8), .form) == form)
        #expect(PercentEncoding.encode(text.utf8, .segment, prefix: "/a%20/", suffix: ":b") == "/a%20/\(segment):b")
    }

    @Test("every byte survives", arguments: [.component, .segment, .form] as [PercentEncoding.Form])
    func bytes(form: PercentEncoding.Form) {
        let text = String(String.UnicodeScalarView((0..<0x180).compactMap { Unicode.Scalar($0 as UInt32) }))
        let encoded = PercentEncoding.encode(text.utf8, form)
        #expect(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
        #expect(PercentEncoding.decode(encoded.utf8, form).map { Array($0.utf8) } == Array(text.utf8))
    }

    @Test(
        "a received text is decoded once; broken escapes and bytes that are not UTF-8 are refused",
        arguments: [
            ("", ""), ("a+b", "a+b"), ("%61%2b%2B", "a++"), ("%2541", "%41"), ("%C3%A9", "é"), ("%00", "\0"),
            ("%", nil), ("%4", nil), ("a%4g", nil), ("%%41", nil), ("%FF", nil), ("%C3", nil), ("%ED%A0%80", nil),
        ] as [(String, String?)]
    )
    func decoding(text: String, decoded: String?) {
        #expect(PercentEncoding.decode(text[...]) == decoded)
        #expect(PercentEncoding.decode(text.utf8, .component) == decoded)
        #expect(PercentEncoding.decode(text.utf8, .form) == decoded?.replacing("a+b", with: "a b"))
    }
}
