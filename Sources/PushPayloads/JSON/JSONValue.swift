internal import TextFormats

/// A JSON value that a provider sent, for the few responses whose body is parsed.
///
/// Reads leniently: members may repeat (the first counts), numbers may have any form, text after the value is ignored.
/// Bounded in size and depth, because proxies may respond with anything.
package indirect enum JSONValue: Sendable, Equatable {
    /// The members in the order of the text.
    case object([Member])
    /// The elements.
    case array([JSONValue])
    /// A string.
    case string(String)
    /// A number; large integers lose precision past 2^53.
    case number(Double)
    /// True or false.
    case bool(Bool)
    /// Null.
    case null

    /// One member of an object.
    package struct Member: Sendable, Equatable {
        /// Its name.
        package var name: String
        /// Its value.
        package var value: JSONValue
    }

    /// The largest body that is parsed, in bytes: provider responses are much smaller, and a larger body is an error
    /// page.
    package static let maxBytes = 65_536

    /// Parses a body; nil when it is empty, too large, or not JSON.
    package init?(body: [UInt8]) {
        guard !body.isEmpty, body.count <= Self.maxBytes else { return nil }
        let value = body.withUnsafeBufferPointer { buffer in
            var reader = JSONReader(bytes: buffer)
            return reader.value(depth: 0)
        }
        guard let value else { return nil }
        self = value
    }

    /// The first member with a name; nil when there is none or this is not an object.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.hasSameBytes(as: name) }?.value
    }

    /// The text of a string.
    package var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// A number, or a string of decimal digits, as an integer.
    package var integer: Int64? {
        switch self {
        case .number(let number): Int64(exactly: number.rounded(.towardZero))
        case .string(let text): Int64(text)
        default: nil
        }
    }

    /// The elements of an array; empty when this is not an array.
    package var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }
}
