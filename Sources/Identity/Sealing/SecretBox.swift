import COpenSSL
internal import Crypto

/// Seals secrets for the store: AES-256-GCM (NIST SP 800-38D) under the master key, with OpenSSL.
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
        let nonce = SecureRandom.bytes(Self.nonceLength)
        let cipher = try Cipher(encrypting: true, key: key.bytes, nonce: nonce)
        try cipher.authenticate(prefix + Array(context.utf8))
        let ciphertext = try cipher.update(secret)
        guard cipher.finish() else { throw .unavailable }
        return prefix + nonce + ciphertext + (try cipher.tag(length: Self.tagLength))
    }

    /// Opens a sealed secret, with the context that it was sealed with.
    package func open(_ sealed: [UInt8], context: String) throws(SecretBoxError) -> [UInt8] {
        guard let version = sealed.first else { throw .damaged }
        guard version == Self.version else { throw .unknownVersion(version) }
        let bodyStart = Self.prefixLength + Self.nonceLength
        guard sealed.count >= bodyStart + Self.tagLength else { throw .damaged }
        guard sealed[1..<Self.prefixLength].elementsEqual(key.id) else { throw .wrongKey }
        let bodyEnd = sealed.count - Self.tagLength
        let cipher = try Cipher(
            encrypting: false,
            key: key.bytes,
            nonce: Array(sealed[Self.prefixLength..<bodyStart])
        )
        try cipher.authenticate(sealed[..<Self.prefixLength] + Array(context.utf8))
        let secret = try cipher.update(Array(sealed[bodyStart..<bodyEnd]))
        try cipher.expect(tag: Array(sealed[bodyEnd...]))
        // No plaintext is returned before the tag is verified.
        guard cipher.finish() else { throw .damaged }
        return secret
    }
}

/// One operation of AES-256-GCM; owns OpenSSL's context, which never leaves it.
///
/// OpenSSL's error queue belongs to the thread: it is cleared before each call, so that no other code finds these
/// errors in it.
private final class Cipher {
    private let context: OpaquePointer
    private let encrypting: Int32

    init(encrypting: Bool, key: [UInt8], nonce: [UInt8]) throws(SecretBoxError) {
        ERR_clear_error()
        guard let context = EVP_CIPHER_CTX_new() else { throw .unavailable }
        self.context = context
        self.encrypting = encrypting ? 1 : 0
        guard EVP_CipherInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce, self.encrypting) == 1 else {
            throw .unavailable
        }
    }

    deinit {
        EVP_CIPHER_CTX_free(context)
        ERR_clear_error()
    }

    /// Adds data that is authenticated and not encrypted.
    func authenticate(_ data: some Collection<UInt8>) throws(SecretBoxError) {
        ERR_clear_error()
        var length: Int32 = 0
        let bytes = Array(data)
        guard EVP_CipherUpdate(context, nil, &length, bytes, Int32(bytes.count)) == 1 else { throw .unavailable }
    }

    /// Encrypts or decrypts everything at once; GCM keeps the length.
    func update(_ input: [UInt8]) throws(SecretBoxError) -> [UInt8] {
        guard !input.isEmpty else { return [] }
        guard let inputLength = Int32(exactly: input.count) else { throw .unavailable }
        ERR_clear_error()
        var output = [UInt8](repeating: 0, count: input.count)
        var length: Int32 = 0
        guard
            EVP_CipherUpdate(context, &output, &length, input, inputLength) == 1,
            length == inputLength
        else { throw .unavailable }
        return output
    }

    /// Sets the expected tag of a decryption.
    func expect(tag: [UInt8]) throws(SecretBoxError) {
        ERR_clear_error()
        var tag = tag
        guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1 else {
            throw .unavailable
        }
    }

    /// Ends the operation; returns false when the tag is not the expected one.
    func finish() -> Bool {
        ERR_clear_error()
        var none: UInt8 = 0
        var length: Int32 = 0
        return EVP_CipherFinal_ex(context, &none, &length) == 1
    }

    /// Returns the tag of an encryption.
    func tag(length: Int) throws(SecretBoxError) -> [UInt8] {
        ERR_clear_error()
        var tag = [UInt8](repeating: 0, count: length)
        guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(length), &tag) == 1 else {
            throw .unavailable
        }
        return tag
    }
}
