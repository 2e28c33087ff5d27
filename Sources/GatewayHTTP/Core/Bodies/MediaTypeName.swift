internal import TextFormats

/// The type and subtype of a `Content-Type`, which are case-insensitive (RFC 9110 section 8.3).
struct MediaTypeName {
    /// The text as it was sent; empty, which matches nothing, when the charset is not UTF-8.
    private let text: Substring

    /// Parses the header's value.
    init(_ contentType: String) {
        // Most values have no parameters.
        var contentType = contentType
        if contentType.withUTF8({ $0.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: ";") } }) {
            text = contentType[...]
            return
        }
        let end = contentType.utf8.firstIndex(of: UInt8(ascii: ";")) ?? contentType.endIndex
        let charset = contentType[end...].byteSplit(";").lazy.map(\.trimmingBlanks).first {
            $0.hasWordPrefix("charset=")
        }
        let isReadable = charset.map { charset in Self.charsets.contains { charset.isWord($0) } } ?? true
        text = isReadable ? contentType[..<end].trimmingBlanks : ""
    }

    /// The parameters that declare the text as UTF-8, or as a subset of it.
    private static let charsets: [StaticString] = ["charset=utf-8", "charset=\"utf-8\"", "charset=us-ascii"]

    /// Whether it is JSON: `application/json`, `text/json`, or a type with the suffix `+json` (RFC 6839 section 3.1).
    var isJSON: Bool {
        guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) else { return false }
        let subtype = text[text.utf8.index(after: slash)...].asciiLowercased
        return subtype.hasSameBytes(as: "json") || subtype.hasByteSuffix("+json")
    }

    /// Whether it is one of CloudEvents' types: these mean structured or batched mode, never binary.
    var isCloudEvents: Bool { text.hasWordPrefix("application/cloudevents") }

    /// Whether it is a type, given in lower case.
    static func ~= (pattern: StaticString, value: MediaTypeName) -> Bool { value.text.isWord(pattern) }
}
