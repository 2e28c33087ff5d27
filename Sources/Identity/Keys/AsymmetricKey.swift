internal import COpenSSL
package import GatewayModel
internal import TextFormats

/// A public or private key of OpenSSL, validated for its use and owned by one value.
///
/// It is immutable, and OpenSSL lets any number of threads use such a key at once.
package struct AsymmetricKey: ~Copyable {
    /// The key types of the supported algorithms.
    enum KeyType: Sendable, Equatable {
        case rsa
        case p256

        var text: String {
            switch self {
            case .rsa: "an RSA key"
            case .p256: "an elliptic-curve key on P-256"
            }
        }
    }

    /// The size of RSA keys in bits: a smaller one can be broken by a state (NIST SP 800-131A); a larger one makes
    /// verification expensive, which strangers can trigger.
    static let rsaBits = 2048...4096
    /// The size of a new RSA key in bits: about as strong as the 128-bit content keys that it encrypts (NIST SP 800-57
    /// part 1).
    private static let newRSABits: UInt32 = 3072
    /// The maximum size of a PEM text: an RSA key of 4096 bits has about 3,300 bytes.
    static let maxPEMBytes = 8192

    let pointer: OpaquePointer

    /// Parses a public key: SubjectPublicKeyInfo (`BEGIN PUBLIC KEY`).
    package init(publicPEM pem: String, for use: KeyUse) throws(KeyRejection) {
        guard pem.utf8.count <= Self.maxPEMBytes else { throw .unreadable }
        guard !pem.utf8.contains("PRIVATE KEY-----".utf8) else { throw .privateKey }
        pointer = try Self.read(pem, use) { PEM_read_bio_PUBKEY($0, nil, nil, nil) }
    }

    /// Parses a private key: PKCS#8 or the traditional form, not encrypted.
    package init(privatePEM pem: String, for use: KeyUse) throws(KeyRejection) {
        // Deriving a key from a password may take OpenSSL hours.
        guard pem.utf8.count <= Self.maxPEMBytes, !pem.utf8.contains("ENCRYPTED".utf8) else { throw .unreadable }
        // An empty password keeps OpenSSL from prompting for one on the terminal.
        var password: [CChar] = [0]
        pointer = try Self.read(pem, use) { PEM_read_bio_PrivateKey($0, nil, nil, &password) }
    }

    /// Generates a private key; takes up to a second of CPU time for RSA, so call it on a thread that may block.
    ///
    /// - Throws: ``KeyRejection/unavailable``.
    package init(newFor use: KeyUse) throws(KeyRejection) {
        pointer = try Self.make(use.type)
    }

    private static func make(_ type: KeyType) throws(KeyRejection) -> OpaquePointer {
        ERR_clear_error()
        defer { ERR_clear_error() }
        let made =
            switch type {
            case .rsa: switchboard_EVP_RSA_gen(newRSABits)
            case .p256: switchboard_EVP_EC_gen("P-256")
            }
        guard let made else { throw .unavailable }
        return made
    }

    private static func read(
        _ pem: String,
        _ use: KeyUse,
        _ read: (OpaquePointer?) -> OpaquePointer?
    ) throws(KeyRejection) -> OpaquePointer {
        ERR_clear_error()
        defer { ERR_clear_error() }
        let bytes = Array(pem.utf8)
        // The BIO keeps the pointer: the bytes must not move until they were read.
        let key = bytes.withUnsafeBytes { bytes in
            let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
            defer { BIO_free(bio) }
            return read(bio)
        }
        guard let key else { throw .unreadable }
        do {
            try check(key, use)
        } catch {
            EVP_PKEY_free(key)
            throw error
        }
        return key
    }

    deinit { EVP_PKEY_free(pointer) }

    private static func check(_ pointer: OpaquePointer, _ use: KeyUse) throws(KeyRejection) {
        switch use.type {
        case .rsa:
            guard EVP_PKEY_get_base_id(pointer) == EVP_PKEY_RSA else {
                throw .wrongType(needed: KeyType.rsa.text)
            }
            let bits = Int(EVP_PKEY_get_bits(pointer))
            guard rsaBits.contains(bits) else { throw .wrongSize(bits: bits) }
        case .p256:
            var name = [CChar](repeating: 0, count: 64)
            var length = 0
            guard EVP_PKEY_get_base_id(pointer) == EVP_PKEY_EC,
                EVP_PKEY_get_group_name(pointer, &name, name.count, &length) == 1,
                String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self) == "prime256v1"
            else { throw .wrongType(needed: KeyType.p256.text) }
        }
        let context = EVP_PKEY_CTX_new(pointer, nil)
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_public_check(context) == 1 else { throw .invalid }
    }

    /// The public key, as operators see it.
    package var publicKey: PublicKeyDetails {
        let der = Self.written { i2d_PUBKEY_bio($0, pointer) }
        return PublicKeyDetails(
            publicKey: String(decoding: Self.written { PEM_write_bio_PUBKEY($0, pointer) }, as: UTF8.self),
            publicKeyFingerprint: Hexadecimal.text(SecretHash.sha256(der))
        )
    }

    /// The private key as PKCS#8 PEM, not encrypted: secret.
    package var privatePEM: [UInt8] {
        Self.written { PEM_write_bio_PKCS8PrivateKey($0, pointer, nil, nil, 0, nil, nil) }
    }

    private static func written(_ write: (OpaquePointer?) -> Int32) -> [UInt8] {
        ERR_clear_error()
        defer { ERR_clear_error() }
        let bio = BIO_new(BIO_s_mem())
        defer { BIO_free(bio) }
        guard write(bio) == 1 else { return [] }
        var bytes = [UInt8](repeating: 0, count: switchboard_BIO_pending(bio))
        guard BIO_read(bio, &bytes, Int32(clamping: bytes.count)) == bytes.count else { return [] }
        return bytes
    }
}
