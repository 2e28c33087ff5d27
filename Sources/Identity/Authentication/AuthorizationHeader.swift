internal import TextFormats

/// The `Authorization` header taken apart (RFC 9110 section 11.6.2): a scheme, in any case, and one token68.
package enum AuthorizationHeader: Sendable, Equatable {
    /// `Basic` and its base64 text, not decoded yet.
    case basic(String)
    /// `Bearer` and its token.
    case bearer(String)

    /// Reads the header's value; nil for other schemes, an empty token, inner white space or anything beyond visible ASCII.
    ///
    /// - Parameter value: The header's value.
    package init?(_ value: String) {
        let bytes = value.utf8
        guard let space = bytes.firstIndex(of: UInt8(ascii: " ")) else { return nil }
        let token = bytes[space...].drop { $0 == UInt8(ascii: " ") }
        guard !token.isEmpty, token.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        switch BoundedName(lowercasing: value[..<space]) {
        case "basic": self = .basic(String(value[token.startIndex...]))
        case "bearer": self = .bearer(String(value[token.startIndex...]))
        default: return nil
        }
    }
}
