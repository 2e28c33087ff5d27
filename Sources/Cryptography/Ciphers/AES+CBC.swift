extension AES {
    /// AES in Cipher Block Chaining (NIST SP 800-38A section 6.2) with the padding of PKCS#7 (RFC 5652 section 6.3).
    ///
    /// It authenticates nothing: verify a code of the ciphertext before you decrypt it.
    package enum _CBC {
        /// An initialization vector of 16 bytes.
        package struct IV: Sendable, RandomAccessCollection {
            private static let byteCount = 16
            let bytes: [UInt8]

            /// Creates a random vector.
            package init() { bytes = SystemRandom.bytes(Self.byteCount) }

            /// Creates a vector from its 16 bytes.
            ///
            /// - Throws: ``CryptographyError/wrongLength``.
            package init(ivBytes: some Collection<UInt8>) throws(CryptographyError) {
                guard ivBytes.count == Self.byteCount else { throw .wrongLength }
                bytes = Array(ivBytes)
            }

            package var startIndex: Int { 0 }
            package var endIndex: Int { bytes.count }
            package subscript(position: Int) -> UInt8 { bytes[position] }
        }

        /// Encrypts a message below 2 GiB with a key of 128, 192 or 256 bits.
        package static func encrypt(
            _ plaintext: some Collection<UInt8>,
            using key: SymmetricKey,
            iv: IV
        ) throws(CryptographyError) -> [UInt8] {
            try CipherAlgorithm.cbc(.encrypting, Array(plaintext), key, vector: iv.bytes)
        }

        /// Decrypts a message.
        ///
        /// - Throws: ``CryptographyError/authenticationFailure`` for a ciphertext that is not of whole blocks, or whose
        ///   padding is wrong.
        package static func decrypt(
            _ ciphertext: some Collection<UInt8>,
            using key: SymmetricKey,
            iv: IV
        ) throws(CryptographyError) -> [UInt8] {
            try CipherAlgorithm.cbc(.decrypting, Array(ciphertext), key, vector: iv.bytes)
        }
    }
}
