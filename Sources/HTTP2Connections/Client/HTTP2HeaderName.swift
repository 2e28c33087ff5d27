/// A header name as static lower-case bytes, so that no request allocates for it.
///
/// Any thread.
///
/// HTTP/2 field names are lower case (RFC 9113 section 8.2.1).
package struct HTTP2HeaderName: Sendable {
    /// The name.
    package let text: StaticString

    /// Creates a name from a literal of at least two lower-case characters.
    package init(_ text: StaticString) {
        precondition(text.hasPointerRepresentation, "a header name has at least two characters")
        self.text = text
    }

    var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }
}

extension HTTP2HeaderName: ExpressibleByStringLiteral {
    /// Creates a name from a literal of at least two lower-case characters.
    package init(stringLiteral name: StaticString) {
        self.init(name)
    }
}

extension HTTP2HeaderName: CustomStringConvertible {
    /// The name as text.
    package var description: String { text.description }
}
