/// The algorithm that encrypts the content key of an encrypted assertion (RFC 7518 section 4.1); the raw value is the
/// JWE `alg`.
package enum KeyEncryptionAlgorithm: String, Sendable, CaseIterable, Codable {
    /// RSAES-OAEP with SHA-256.
    case rsaOAEP256 = "RSA-OAEP-256"
    /// RSAES-OAEP with SHA-1, for senders that support nothing newer.
    case rsaOAEP = "RSA-OAEP"
    /// Elliptic-curve Diffie-Hellman on P-256.
    case ecdhES = "ECDH-ES"
}
