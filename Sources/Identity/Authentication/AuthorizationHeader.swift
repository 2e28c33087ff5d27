internal import TextFormats

/// The parsed `Authorization` header (RFC 9110 section 11.6.2): a scheme, in any case, and one token68.
package enum AuthorizationHeader: Sendable, Equatable {
    /// `Basic` and its base64 text, not decoded yet.
    case basic(String)
    /// `Bearer` and its token.
    case bearer(String)
    /// `Token` and its API key, as Bloomreach's SDK sends it.
    case token(String)

    /// Parses the header's value; nil for other schemes, an empty token, inner white space or anything beyond visible
    /// ASCII.
    package init?(_ value: String) {
        let space = UInt8(ascii: " ")
        var value = value
        // This runs for each request.
        let start: Int? = value.withUTF8 { bytes in
            guard let end = bytes.firstIndex(of: space),
                let start = bytes[end...].firstIndex(where: { $0 != space }),
                bytes[start...].allSatisfy({ $0 > 0x20 && $0 < 0x7F })
            else { return nil }
            return start
        }
        guard let start else { return nil }
        let token = String(value.utf8.dropFirst(start)) ?? ""
        if value.hasWordPrefix("basic ") {
            self = .basic(token)
        } else if value.hasWordPrefix("bearer ") {
            self = .bearer(token)
        } else if value.hasWordPrefix("token ") {
            self = .token(token)
        } else {
            return nil
        }
    }
}
