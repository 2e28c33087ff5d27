internal import Cryptography

/// Seals secrets for the store: AES-256-GCM (NIST SP 800-38D) under the master key.
///
/// A sealed secret is, in order: a version byte (1), the 8-byte id of the key, a random nonce of 12 bytes, the
/// ciphertext, and a tag of 16 bytes. Everything before the nonce and the context are authenticated with it, so that a
/// secret cannot be moved to another row. With random nonces one key is good for 2^32 seals; an instance makes
/// thousands. Thread-safe.
package struct SecretBox: Sendable {
    private static let version: UInt8 = 1
    private static let prefixLength = 1 + MasterKey.idLength

    private let key: MasterKey

    /// Creates a box with one key, the instance's master key.
    package init(key: MasterKey) { self.key = key }

    /// Returns a separate key of 32 bytes for another purpose, the same after every start, from which the master key
    /// cannot be computed (HKDF-SHA256, RFC 5869).
    func derivedKey(for purpose: String) -> [UInt8] {
        HKDF<SHA256>.key(of: key.bytes, info: Array("switchboard/\(purpose)".utf8), byteCount: 32)
    }

    /// Seals a secret.
    ///
    /// - Parameters:
    ///   - secret: The secret.
    ///   - context: The kind and the owner of the secret, for example `app/<brand>/<id>`; the same text opens it again.
    /// - Returns: The bytes for the store.
    /// - Throws: ``SecretBoxError/unavailable``.
    package func seal(_ secret: [UInt8], context: String) throws(SecretBoxError) -> [UInt8] {
        let prefix = [Self.version] + key.id
        let data = prefix + Array(context.utf8)
        let nonce = SecureRandom.bytes(AES.GCM.nonceBytes)
        guard let box = try? AES.GCM.seal(secret, using: key.bytes, nonce: nonce, authenticating: data) else {
            throw .unavailable
        }
        return prefix + nonce + box.ciphertext + box.tag
    }

    /// Opens a sealed secret, with the context that it was sealed with.
    package func open(_ sealed: [UInt8], context: String) throws(SecretBoxError) -> [UInt8] {
        guard let version = sealed.first else { throw .damaged }
        guard version == Self.version else { throw .unknownVersion(version) }
        let bodyStart = Self.prefixLength + AES.GCM.nonceBytes
        guard sealed.count >= bodyStart + AES.GCM.tagBytes else { throw .damaged }
        guard sealed[1..<Self.prefixLength].elementsEqual(key.id) else { throw .wrongKey }
        let bodyEnd = sealed.count - AES.GCM.tagBytes
        // No plaintext is returned before the tag is verified.
        let secret = try? AES.GCM.open(
            Array(sealed[bodyStart..<bodyEnd]),
            tag: Array(sealed[bodyEnd...]),
            using: key.bytes,
            nonce: Array(sealed[Self.prefixLength..<bodyStart]),
            authenticating: sealed[..<Self.prefixLength] + Array(context.utf8)
        )
        guard let secret else { throw .damaged }
        return secret
    }
}
