internal import COpenSSL
internal import TextFormats

/// RSA (RFC 8017) with SHA-256.
package enum RSA {
    /// The range of a modulus in bits: 2048 by NIST SP 800-131A; more than 8192 is for those who want to stop a server.
    package static let bits = 2048...8192

    /// A scheme of signatures; the hash of the mask is that of the message.
    package enum Padding: Sendable {
        /// RSASSA-PKCS1-v1_5 (RFC 8017 section 8.2).
        case pkcs1
        /// RSASSA-PSS with a salt as long as the hash (RFC 8017 section 8.1).
        case pss
    }

    /// The hash of RSAES-OAEP, for both the label and the mask (RFC 7518 section 4.3).
    package enum LabelHash: Sendable {
        /// SHA-1 (FIPS 180-4 section 6.1).
        case sha1
        /// SHA-256 (FIPS 180-4 section 6.2).
        case sha256
    }

    /// A public key; immutable and thread-safe.
    package struct PublicKey: Sendable {
        private let key: KeyHandle
        /// n, big endian without leading zeros.
        package let modulus: [UInt8]
        /// e, big endian without leading zeros.
        package let exponent: [UInt8]

        fileprivate init(_ key: KeyHandle, bits allowed: ClosedRange<Int> = bits) throws(CryptographyError) {
            guard key.isRSA, allowed.contains(key.bitCount), let modulus = key.number(OSSL_PKEY_PARAM_RSA_N),
                let exponent = key.number(OSSL_PKEY_PARAM_RSA_E), modulus.last.map({ $0 % 2 == 1 }) ?? false,
                Self.isGood(exponent: exponent)
            else { throw .invalidKey }
            self.key = key
            self.modulus = modulus
            self.exponent = exponent
        }

        /// Returns whether an exponent without leading zeros is odd and from 3 to 2^33: 1 makes everything valid, and a
        /// long one makes each verification slow.
        package static func isGood(exponent: [UInt8]) -> Bool {
            guard exponent.count <= 5 else { return false }
            let value = exponent.reduce(0) { $0 << 8 | Int($1) }
            return (3...1 << 33).contains(value) && value % 2 == 1
        }

        /// Creates a key of 2048 to 8192 bits from its numbers, big endian.
        ///
        /// - Throws: ``CryptographyError/invalidKey``, also for an exponent that is even, 1 or above 2^33.
        package init(n modulus: [UInt8], e exponent: [UInt8]) throws(CryptographyError) {
            // Before OpenSSL computes with numbers of any size.
            guard modulus.count <= 1025, exponent.count <= 1025 else { throw .invalidKey }
            try self.init(
                KeyHandle { switchboard_RSA_key(modulus, Int32(modulus.count), exponent, Int32(exponent.count)) }
            )
        }

        /// Creates a key from the PEM of a SubjectPublicKeyInfo (`BEGIN PUBLIC KEY`).
        ///
        /// - Parameters:
        ///   - pemRepresentation: The PEM.
        ///   - bits: The range of its modulus in bits.
        /// - Throws: ``CryptographyError``.
        package init(
            pemRepresentation: String,
            bits: ClosedRange<Int> = RSA.bits
        ) throws(CryptographyError) {
            try self.init(KeyHandle(publicDER: PEM.der(of: pemRepresentation, labelled: "PUBLIC KEY")), bits: bits)
        }

        /// The length of the modulus in bits.
        package var keySizeInBits: Int { key.bitCount }
        /// The SubjectPublicKeyInfo.
        package var derRepresentation: [UInt8] { key.publicDER }
        /// The SubjectPublicKeyInfo as PEM, without a newline at its end.
        package var pemRepresentation: String { key.publicPEM }

        /// Returns whether a signature is that of data with SHA-256; false for one that is not as long as the modulus.
        package func isValidSignature(
            _ signature: [UInt8],
            for data: some Collection<UInt8>,
            padding: Padding
        ) -> Bool {
            signature.count == modulus.count && key.isValid(signature, for: data, padding: padding)
        }
    }

    /// A private key; immutable and thread-safe.
    package struct PrivateKey: Sendable {
        private let key: KeyHandle
        /// The public key.
        package let publicKey: PublicKey

        private init(_ key: KeyHandle) throws(CryptographyError) {
            self.key = key
            publicKey = try PublicKey(key)
        }

        /// Generates a key; takes up to a second of CPU time.
        ///
        /// - Throws: ``CryptographyError/invalidKey`` when OpenSSL cannot.
        package init(bitCount: Int) throws(CryptographyError) {
            try self.init(KeyHandle(newRSAWithBits: bitCount))
        }

        /// Creates a key of 2048 to 8192 bits from the PEM of PKCS#8 (`BEGIN PRIVATE KEY`) or PKCS#1 (`BEGIN RSA PRIVATE
        /// KEY`), not encrypted.
        ///
        /// - Throws: ``CryptographyError``.
        package init(pemRepresentation: String) throws(CryptographyError) {
            let der = try PEM.der(of: pemRepresentation, labelled: "PRIVATE KEY", "RSA PRIVATE KEY")
            try self.init(KeyHandle(privateDER: der))
            // Shows numbers that do not belong together, at a fiftieth of the time that OpenSSL takes to test primes.
            guard let signature = try? signature(for: [], padding: .pkcs1),
                publicKey.isValidSignature(signature, for: [], padding: .pkcs1)
            else { throw .invalidKey }
        }

        /// The key as PKCS#8 PEM, without a newline at its end: secret.
        package var pemRepresentation: String { key.privatePEM }

        /// Signs data with SHA-256; the signature is as long as the modulus.
        ///
        /// - Throws: ``CryptographyError/unavailable``.
        package func signature(
            for data: some Collection<UInt8>,
            padding: Padding
        ) throws(CryptographyError) -> [UInt8] {
            try key.signature(for: data, padding: padding)
        }
    }
}
