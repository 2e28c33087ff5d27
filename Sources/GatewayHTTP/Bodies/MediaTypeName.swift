/// The type and subtype of a `Content-Type`, in lower case (RFC 9110 section 8.3).
struct MediaTypeName: Equatable, ExpressibleByStringLiteral {
    /// Never matches anything that a caller can send, when the charset is not UTF-8.
    private let name: String

    /// Takes a name that is known to be one.
    init(stringLiteral value: String) { name = value }

    /// Reads the header's value.
    init(_ contentType: String) {
        // Nearly all have no parameters and are in lower case.
        if contentType.utf8.allSatisfy({ $0 > 0x20 && $0 != UInt8(ascii: ";") && !(0x41...0x5A).contains($0) }) {
            name = contentType
            return
        }
        let parts = contentType.split(separator: ";", omittingEmptySubsequences: false)
        let charset = parts.dropFirst().lazy.map(Self.trimmed).first { $0.hasPrefix("charset=") }
        let readable = charset.map { ["charset=utf-8", "charset=\"utf-8\"", "charset=us-ascii"].contains($0) } ?? true
        name = readable ? parts.first.map(Self.trimmed) ?? "" : ""
    }

    /// Whether it is JSON: `application/json`, `text/json`, or a type that is built on it (RFC 6839 section 3.1).
    var isJSON: Bool {
        guard let slash = name.utf8.firstIndex(of: UInt8(ascii: "/")) else { return false }
        let subtype = name[name.index(after: slash)...]
        return subtype == "json" || subtype.hasSuffix("+json")
    }

    /// Whether it is one of CloudEvents' own: these mean structured or batched mode, never binary.
    var isCloudEvents: Bool { name.hasPrefix("application/cloudevents") }

    private static func trimmed(_ part: Substring) -> String {
        let start = part.drop { $0 == " " || $0 == "\t" }
        let end = start.lastIndex { $0 != " " && $0 != "\t" }
        return end.map { start[...$0].lowercased() } ?? ""
    }

    static func ~= (pattern: MediaTypeName, value: MediaTypeName) -> Bool { pattern == value }
}
