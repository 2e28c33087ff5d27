package import Cryptography
internal import TextFormats

/// A signed token in compact serialisation (RFC 7515 section 7.1), parsed but not verified.
package struct CompactJWS: Sendable {
    /// The protected header.
    package var header: JSONValue
    /// The claims.
    package var claims: JSONValue
    /// The signed bytes: the first two parts exactly as received.
    package var signingInput: [UInt8]
    /// The signature bytes.
    package var signature: [UInt8]

    /// The longest token in bytes; longer ones are rejected without parsing.
    private static let longestToken = 8192

    /// Parses a token.
    ///
    /// Nil when it is malformed, when header or claims are not JSON objects, or when the header names critical
    /// extensions (none are supported).
    ///
    /// - Parameter text: Three base64url parts, separated by dots.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.longestToken else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3,
            let headerBytes = StrictBase64.decode(parts[0].utf8, .url),
            let header = try? JSONValue(parsing: headerBytes),
            let claimsBytes = StrictBase64.decode(parts[1].utf8, .url),
            let claims = try? JSONValue(parsing: claimsBytes),
            let signature = StrictBase64.decode(parts[2].utf8, .url),
            header.members != nil, claims.members != nil, header["crit"] == nil
        else { return nil }
        self.header = header
        self.claims = claims
        self.signingInput = Array(text.utf8.prefix(parts[0].utf8.count + 1 + parts[1].utf8.count))
        self.signature = signature
    }

    /// Signs a token with ES256 (RFC 7518 section 3.4: raw r and s, 64 bytes).
    ///
    /// - Parameters:
    ///   - header: The protected header, `alg` included.
    ///   - claims: The claims.
    ///   - key: The private key.
    /// - Returns: The compact serialisation.
    /// - Throws: The error of the key.
    package static func signed(
        header: JSONValue,
        claims: JSONValue,
        with key: P256.PrivateKey
    ) throws -> String {
        let input = Self.signingInput(header: header, claims: claims)
        return input + "." + StrictBase64.encode(try key.signature(for: input.utf8), .url)
    }

    /// Encodes the first two parts of a token.
    ///
    /// - Parameters:
    ///   - header: The protected header.
    ///   - claims: The claims.
    /// - Returns: The text to sign.
    package static func signingInput(header: JSONValue, claims: JSONValue) -> String {
        [header, claims].map { StrictBase64.encode($0.text, .url) }.joined(separator: ".")
    }
}
