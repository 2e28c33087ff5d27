/// AES (FIPS 197) with keys of 128, 192 or 256 bits.
package enum AES {}

extension AES {
    /// AES in Galois/Counter Mode (NIST SP 800-38D) with nonces of 96 bits and tags of 128 bits.
    package enum GCM {
        /// The length of a tag in bytes.
        private static let tagBytes = 16

        /// A nonce of 12 bytes, never used twice with one key.
        package struct Nonce: Sendable, RandomAccessCollection {
            private static let byteCount = 12
            let bytes: [UInt8]

            /// Creates a random nonce: good for 2^32 messages with one key (NIST SP 800-38D section 8.3).
            package init() { bytes = SystemRandom.bytes(Self.byteCount) }

            /// Creates a nonce from its 12 bytes.
            ///
            /// - Throws: ``CryptographyError/wrongLength``.
            package init(data: some Collection<UInt8>) throws(CryptographyError) {
                guard data.count == Self.byteCount else { throw .wrongLength }
                bytes = Array(data)
            }

            package var startIndex: Int { 0 }
            package var endIndex: Int { bytes.count }
            package subscript(position: Int) -> UInt8 { bytes[position] }
        }

        /// An encrypted message.
        package struct SealedBox: Sendable {
            /// The nonce.
            package let nonce: Nonce
            /// The ciphertext, as long as the message.
            package let ciphertext: [UInt8]
            /// The tag of 16 bytes.
            package let tag: [UInt8]

            /// Creates a box from its parts.
            ///
            /// - Throws: ``CryptographyError/wrongLength`` for a tag that has not 16 bytes.
            package init(
                nonce: Nonce,
                ciphertext: some Collection<UInt8>,
                tag: some Collection<UInt8>
            ) throws(CryptographyError) {
                guard tag.count == tagBytes else { throw .wrongLength }
                self.nonce = nonce
                self.ciphertext = Array(ciphertext)
                self.tag = Array(tag)
            }
        }

        /// Encrypts and authenticates a message.
        ///
        /// - Parameters:
        ///   - message: The message, below 2 GiB.
        ///   - key: A key of 128, 192 or 256 bits.
        ///   - nonce: The nonce; nil for a random one.
        ///   - data: Bytes that are authenticated and not encrypted.
        /// - Returns: The box.
        /// - Throws: ``CryptographyError``.
        package static func seal(
            _ message: some Collection<UInt8>,
            using key: SymmetricKey,
            nonce: Nonce? = nil,
            authenticating data: some Collection<UInt8> = [UInt8]()
        ) throws(CryptographyError) -> SealedBox {
            let nonce = nonce ?? Nonce()
            var tag = [UInt8](repeating: 0, count: tagBytes)
            let ciphertext = try CipherAlgorithm.gcm(
                .encrypting,
                Array(message),
                key,
                nonce: nonce.bytes,
                authenticating: Array(data),
                tag: &tag
            )
            return try SealedBox(nonce: nonce, ciphertext: ciphertext, tag: tag)
        }

        /// Decrypts a message.
        ///
        /// - Parameters:
        ///   - box: The box.
        ///   - key: The key that it was sealed with.
        ///   - data: The bytes that were authenticated with it.
        /// - Returns: The message.
        /// - Throws: ``CryptographyError/authenticationFailure`` when the tag is not that of the ciphertext, the data,
        ///   the nonce and the key.
        package static func open(
            _ box: SealedBox,
            using key: SymmetricKey,
            authenticating data: some Collection<UInt8> = [UInt8]()
        ) throws(CryptographyError) -> [UInt8] {
            var tag = box.tag
            return try CipherAlgorithm.gcm(
                .decrypting,
                box.ciphertext,
                key,
                nonce: box.nonce.bytes,
                authenticating: Array(data),
                tag: &tag
            )
        }
    }
}
