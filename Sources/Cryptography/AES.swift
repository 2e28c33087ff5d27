internal import COpenSSL

/// AES (FIPS 197) with keys of 128, 192 or 256 bits.
package enum AES {
    /// AES in Galois/Counter Mode (NIST SP 800-38D) with nonces of 96 bits and tags of 128 bits.
    package enum GCM {
        /// The length of a nonce in bytes.
        package static let nonceBytes = 12
        /// The length of a tag in bytes.
        package static let tagBytes = 16

        private static let ciphers = Cipher.ofAllKeys("GCM")

        /// Encrypts and authenticates a message.
        ///
        /// - Parameters:
        ///   - message: The message, below 2 GiB.
        ///   - key: A key of 16, 24 or 32 bytes.
        ///   - nonce: 12 bytes, never used twice with one key; random ones are good for 2^32 messages (NIST SP 800-38D
        ///     section 8.3).
        ///   - data: Bytes that are authenticated and not encrypted.
        /// - Returns: The ciphertext, as long as the message, and the tag of 16 bytes.
        /// - Throws: ``CryptographyError``.
        package static func seal(
            _ message: [UInt8],
            using key: [UInt8],
            nonce: [UInt8],
            authenticating data: [UInt8] = []
        ) throws(CryptographyError) -> (ciphertext: [UInt8], tag: [UInt8]) {
            var tag = [UInt8](repeating: 0, count: tagBytes)
            let ciphertext = try Cipher.of(key, in: ciphers).run(.encrypting, message, key, nonce) { context in
                authenticate(data, context)
            } finish: { context in
                EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagBytes), &tag) == 1
            }
            return (ciphertext, tag)
        }

        /// Decrypts a message.
        ///
        /// - Parameters:
        ///   - ciphertext: The ciphertext.
        ///   - tag: Its tag.
        ///   - key: The key that it was sealed with.
        ///   - nonce: The nonce that it was sealed with.
        ///   - data: The bytes that were authenticated with it.
        /// - Returns: The message.
        /// - Throws: ``CryptographyError/authenticationFailure`` when the tag is not that of the ciphertext, the data,
        ///   the nonce and the key.
        package static func open(
            _ ciphertext: [UInt8],
            tag: [UInt8],
            using key: [UInt8],
            nonce: [UInt8],
            authenticating data: [UInt8] = []
        ) throws(CryptographyError) -> [UInt8] {
            guard tag.count == tagBytes else { throw .wrongLength }
            return try Cipher.of(key, in: ciphers).run(.decrypting, ciphertext, key, nonce) { context in
                var tag = tag
                return authenticate(data, context)
                    && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagBytes), &tag) == 1
            }
        }

        private static func authenticate(_ data: [UInt8], _ context: OpaquePointer) -> Bool {
            var length: Int32 = 0
            guard let count = Int32(exactly: data.count) else { return false }
            return data.isEmpty || EVP_CipherUpdate(context, nil, &length, data, count) == 1
        }
    }

    /// AES in Cipher Block Chaining (NIST SP 800-38A section 6.2) with the padding of PKCS#7 (RFC 5652 section 6.3).
    ///
    /// It authenticates nothing: verify a code of the ciphertext before you decrypt it.
    package enum CBC {
        private static let ciphers = Cipher.ofAllKeys("CBC")

        /// Decrypts a message with a key of 16, 24 or 32 bytes and an initialization vector of 16 bytes.
        ///
        /// - Throws: ``CryptographyError/authenticationFailure`` for a ciphertext that is not of whole blocks, or whose
        ///   padding is wrong.
        package static func decrypt(
            _ ciphertext: [UInt8],
            using key: [UInt8],
            vector: [UInt8]
        ) throws(CryptographyError) -> [UInt8] {
            try Cipher.of(key, in: ciphers).run(.decrypting, ciphertext, key, vector)
        }
    }
}

/// A cipher of OpenSSL, fetched once.
///
/// Thread-safe. `@unchecked`: an `EVP_CIPHER` is immutable, and its references are counted atomically.
private final class Cipher: @unchecked Sendable {
    /// A direction; the raw value is OpenSSL's.
    enum Direction: Int32 {
        case decrypting = 0
        case encrypting = 1
    }

    private let method: OpaquePointer

    private init(_ name: String) {
        guard let method = EVP_CIPHER_fetch(nil, name, nil) else { preconditionFailure("OpenSSL has no \(name)") }
        self.method = method
    }

    deinit { EVP_CIPHER_free(method) }

    /// Returns the ciphers of a mode in the order of their keys' lengths.
    static func ofAllKeys(_ mode: String) -> [Cipher] { [128, 192, 256].map { Cipher("AES-\($0)-\(mode)") } }

    static func of(_ key: [UInt8], in ciphers: [Cipher]) throws(CryptographyError) -> Cipher {
        guard [16, 24, 32].contains(key.count) else { throw .wrongLength }
        return ciphers[key.count / 8 - 2]
    }

    /// Encrypts or decrypts; `prepare` is called before the input, and `finish` after it.
    func run(
        _ direction: Direction,
        _ input: [UInt8],
        _ key: [UInt8],
        _ vector: [UInt8],
        prepare: (OpaquePointer) -> Bool = { _ in true },
        finish: (OpaquePointer) -> Bool = { _ in true }
    ) throws(CryptographyError) -> [UInt8] {
        // Lengths are numbers of 32 bits, and padding adds a block.
        guard vector.count == EVP_CIPHER_get_iv_length(method), input.count < Int32.max - 16 else { throw .wrongLength }
        return try ErrorQueue.isolated { () throws(CryptographyError) in
            guard let context = EVP_CIPHER_CTX_new() else { throw .unavailable }
            defer { EVP_CIPHER_CTX_free(context) }
            guard EVP_CipherInit_ex2(context, method, key, vector, direction.rawValue, nil) == 1, prepare(context)
            else { throw .unavailable }
            var output = [UInt8](repeating: 0, count: input.count + 16)
            var (length, rest) = (Int32(0), Int32(0))
            let isDone = output.withUnsafeMutableBufferPointer { output in
                guard let start = output.baseAddress else { return false }
                return (input.isEmpty || EVP_CipherUpdate(context, start, &length, input, Int32(input.count)) == 1)
                    && EVP_CipherFinal_ex(context, start + Int(length), &rest) == 1
            }
            guard isDone, finish(context) else {
                // Nothing is returned that was not authenticated.
                output.cleanse()
                throw .authenticationFailure
            }
            output.removeLast(output.count - Int(length + rest))
            return output
        }
    }
}
