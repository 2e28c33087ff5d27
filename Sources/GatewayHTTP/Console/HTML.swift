internal import TextFormats

/// HTML text.
///
/// Its literals are markup of the gateway; every value in them is escaped, so that no text from outside becomes markup, in the
/// content of an element or in a quoted attribute.
struct HTML: ExpressibleByStringInterpolation, Sendable {
    /// The parts of a literal with values.
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var bytes: [UInt8] = []

        init(literalCapacity: Int, interpolationCount: Int) {
            bytes.reserveCapacity(literalCapacity + interpolationCount * 32)
        }

        mutating func appendLiteral(_ markup: StaticString) { markup.withUTF8Buffer { bytes += $0 } }

        /// Appends a text, escaped.
        mutating func appendInterpolation(_ text: String) {
            for byte in text.utf8 {
                switch byte {
                case UInt8(ascii: "&"): bytes += "&amp;".utf8
                case UInt8(ascii: "<"): bytes += "&lt;".utf8
                case UInt8(ascii: ">"): bytes += "&gt;".utf8
                case UInt8(ascii: "\""): bytes += "&quot;".utf8
                case UInt8(ascii: "'"): bytes += "&#39;".utf8
                default: bytes.append(byte)
                }
            }
        }

        mutating func appendInterpolation(_ number: Int) { appendInterpolation(String(number)) }

        /// Appends a value of the API, short enough for a table.
        mutating func appendInterpolation(_ value: StrictJSON) { appendInterpolation(value.shown) }

        /// Appends a piece of HTML as it is.
        mutating func appendInterpolation(_ html: HTML) { bytes += html.bytes }

        /// Appends pieces of HTML as they are.
        mutating func appendInterpolation(_ pieces: [HTML]) { for piece in pieces { bytes += piece.bytes } }
    }

    /// The text in UTF-8.
    let bytes: [UInt8]

    init(stringLiteral markup: StaticString) { bytes = markup.withUTF8Buffer { Array($0) } }

    init(stringInterpolation parts: StringInterpolation) { bytes = parts.bytes }

    /// Returns a piece of HTML, or nothing.
    static func when(_ isShown: Bool, _ html: @autoclosure () -> HTML) -> HTML { isShown ? html() : "" }
}

extension StrictJSON {
    /// The member of an object; null when there is none, for example because the caller may not see it.
    subscript(name: BoundedName) -> StrictJSON { members?[name] ?? .null }

    /// The items of an array; none for every other value.
    var items: [StrictJSON] {
        if case .array(let items) = self { items } else { [] }
    }

    /// The number; nil for every other value.
    var number: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    /// The value as text; "" for null, objects and arrays.
    var word: String {
        switch self {
        case .string(let text), .otherNumber(let text): text
        case .integer(let number): String(number)
        case .bool(let flag): flag ? "yes" : "no"
        case .object, .array, .null: ""
        }
    }

    /// The value as text of a few characters; a dash for nothing.
    var shown: String { word.isEmpty ? "–" : word.clipped(40) }
}

extension String {
    /// Returns the beginning of a text, with an ellipsis when it is longer than a number of Unicode scalars.
    func clipped(_ limit: Int) -> String {
        let head = String(unicodeScalars.prefix(limit))
        return head.utf8.count == utf8.count ? self : head + "…"
    }
}
