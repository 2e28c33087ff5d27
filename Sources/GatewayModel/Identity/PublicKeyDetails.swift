/// A public key as operators see it.
package struct PublicKeyDetails: Codable, Sendable, Equatable {
    /// The SubjectPublicKeyInfo as PEM (RFC 7468 section 13).
    package var publicKey: String
    /// The SHA-256 of the SubjectPublicKeyInfo's DER as 64 lower-case hexadecimal digits.
    package var publicKeyFingerprint: String

    /// Creates a key.
    package init(publicKey: String, publicKeyFingerprint: String) {
        self.publicKey = publicKey
        self.publicKeyFingerprint = publicKeyFingerprint
    }
}
