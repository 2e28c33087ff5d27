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
    private static let nonceLength = 12
    private static let tagLength = 16

    private let key: MasterKey

    /// Creates a box with one key, the instance's master key.
    package init(key: MasterKey) { self.key = key }

    /// Returns a separate key of 32 bytes for another purpose, the same after every start, from which the master key
    /// cannot be computed (HKDF-SHA256, RFC 5869).
    func derivedKey(for purpose: String) -> [UInt8] {
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: key.bytes),
            info: Array("switchboard/\(purpose)".utf8),
            outputByteCount: 32
        )
        return key.withUnsafeBytes { Array($0) }
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
        guard let box = try? AES.GCM.seal(secret, using: SymmetricKey(data: key.bytes), authenticating: data) else {
            throw .unavailable
        }
        return prefix + Array(box.nonce) + box.ciphertext + box.tag
    }

    /// Opens a sealed secret, with the context that it was sealed with.
    package func open(_ sealed: [UInt8], context: String) throws(SecretBoxError) -> [UInt8] {
        guard let version = sealed.first else { throw .damaged }
        guard version == Self.version else { throw .unknownVersion(version) }
        let bodyStart = Self.prefixLength + Self.nonceLength
        guard sealed.count >= bodyStart + Self.tagLength else { throw .damaged }
        guard sealed[1..<Self.prefixLength].elementsEqual(key.id) else { throw .wrongKey }
        let bodyEnd = sealed.count - Self.tagLength
        // No plaintext is returned before the tag is verified.
        guard let nonce = try? AES.GCM.Nonce(data: sealed[Self.prefixLength..<bodyStart]),
            let box = try? AES.GCM.SealedBox(
                nonce: nonce,
                ciphertext: sealed[bodyStart..<bodyEnd],
                tag: sealed[bodyEnd...]
            ),
            let secret = try? AES.GCM.open(
                box,
                using: SymmetricKey(data: key.bytes),
                authenticating: sealed[..<Self.prefixLength] + Array(context.utf8)
            )
        else { throw .damaged }
        return secret
    }
}
