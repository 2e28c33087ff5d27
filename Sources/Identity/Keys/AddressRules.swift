internal import FoundationEssentials
internal import TextFormats

/// The rules for the redirect URIs of credentials.
package enum AddressRules {
    /// The maximum length: many servers reject longer ones.
    private static let maxBytes = 2048

    /// Returns the error of a redirect URI, which belongs to an app and may have its own scheme (RFC 6749 section
    /// 3.1.2, RFC 8252 section 7); nil for a valid one.
    package static func problem(ofRedirectURI text: String) -> String? {
        guard let url = parsed(text), let scheme = url.scheme?.lowercased() else {
            return "must be an absolute URI of at most \(maxBytes) bytes"
        }
        guard !text.utf8.contains(UInt8(ascii: "#")) else { return "must have no fragment" }
        switch scheme {
        case "http", "https":
            guard let host = url.host, !host.isEmpty else { return "must name a host" }
            return nil
        // These execute or display their content.
        case "javascript", "data", "vbscript", "file", "blob": return "must have a scheme that can be redirected to"
        default: return nil
        }
    }

    private static func parsed(_ text: String) -> URL? {
        guard text.utf8.count <= maxBytes, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") })
        else { return nil }
        return URL(string: text)
    }
}
