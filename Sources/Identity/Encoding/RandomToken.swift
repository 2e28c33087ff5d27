internal import TextFormats

/// A kind of token: 256 random bits in base64url after a prefix, by which secret scanners find a leaked one; only its
/// SHA-256 is stored.
package struct RandomToken: Sendable {
    /// The token of an operator's session.
    static let operatorSession = RandomToken(prefix: "sbo_")
    /// The token of a link to a delivery.
    package static let deliveryLink = RandomToken(prefix: "sbl_")
    /// The state, nonce, verifier and cookie of an operator's sign-in at the identity provider.
    package static let signIn = RandomToken(prefix: "sbi_")

    private let prefix: String

    /// Returns a new token with its hash.
    package func make() -> (token: String, hash: [UInt8]) {
        let token = prefix + StrictBase64.encode(SecureRandom.bytes(32), .url)
        return (token, SecretHash.sha256(token.utf8))
    }

    /// Returns the SHA-256 of a token; nil for a text that is no token of this kind.
    package func hash(of token: String) -> [UInt8]? {
        // 43 characters of base64url.
        guard token.utf8.count == prefix.utf8.count + 43, token.hasBytePrefix(prefix) else { return nil }
        return SecretHash.sha256(token.utf8)
    }
}
