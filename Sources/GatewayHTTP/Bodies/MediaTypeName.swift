internal import TextFormats

/// The type and subtype of a `Content-Type`, in lower case (RFC 9110 section 8.3).
struct MediaTypeName: Equatable, ExpressibleByStringLiteral {
    /// Nil, which nothing matches, when the charset is not UTF-8 or the name is longer than any.
    private let name: BoundedName?

    /// Takes a name that is known to be one.
    init(stringLiteral value: StaticString) { name = BoundedName(stringLiteral: value) }

    /// Reads the header's value.
    init(_ contentType: String) {
        // Nearly all have no parameters and are in lower case.
        if contentType.utf8.allSatisfy({ $0 > 0x20 && $0 != UInt8(ascii: ";") && !(0x41...0x5A).contains($0) }) {
            name = BoundedName(contentType)
            return
        }
        let parts = contentType.byteSplit(";", omittingEmptySubsequences: false)
        let charset = parts.dropFirst().lazy.compactMap { BoundedName(lowercasing: $0.trimmingBlanks) }
            .first { $0.text.hasBytePrefix("charset=") }
        let isReadable = charset.map(Self.charsets.contains) ?? true
        name = isReadable ? parts.first.flatMap { BoundedName(lowercasing: $0.trimmingBlanks) } : nil
    }

    /// What says that the text is UTF-8, or part of it.
    private static let charsets: Set<BoundedName> = ["charset=utf-8", "charset=\"utf-8\"", "charset=us-ascii"]

    /// Whether it is JSON: `application/json`, `text/json`, or a type that is built on it (RFC 6839 section 3.1).
    var isJSON: Bool {
        guard let text = name?.text, let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) else { return false }
        let subtype = text[text.utf8.index(after: slash)...]
        return subtype.hasSameBytes(as: "json") || subtype.hasByteSuffix("+json")
    }

    /// Whether it is one of CloudEvents' own: these mean structured or batched mode, never binary.
    var isCloudEvents: Bool { name?.text.hasBytePrefix("application/cloudevents") ?? false }

    /// Whether it is the type of a pattern, and one that is read here.
    static func ~= (pattern: MediaTypeName, value: MediaTypeName) -> Bool {
        value.name != nil && pattern.name == value.name
    }
}
