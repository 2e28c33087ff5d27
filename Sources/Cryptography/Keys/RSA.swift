internal import COpenSSL
internal import TextFormats

/// RSA (RFC 8017).
package enum _RSA {
    /// Keys that sign.
    package enum Signing {}
}

extension _RSA.Signing {
    /// The range of a modulus in bits: 2048 by NIST SP 800-131A; more than 8192 is for those who want to stop a server.
    private static let bits = 2048...8192
    /// The range where a caller checks the size itself.
    private static let unsafeBits = 1024...8192

    /// A scheme of signatures; the hash of the mask is that of the message.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    package enum Padding: Sendable {
        /// RSASSA-PKCS1-v1_5 (RFC 8017 section 8.2).
        case insecurePKCS1v1_5
        /// RSASSA-PSS with a salt as long as the hash (RFC 8017 section 8.1).
        case PSS

        func configure(_ context: OpaquePointer) -> Bool {
            switch self {
            case .insecurePKCS1v1_5: EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
            case .PSS:
                EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
                    && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1
            }
        }
    }

    /// A signature, as long as the modulus.
    package struct RSASignature: Sendable, Equatable {
        /// The bytes.
        package let rawRepresentation: [UInt8]

        /// Creates a signature of any length; only one as long as the modulus is valid.
        package init(rawRepresentation: some Collection<UInt8>) { self.rawRepresentation = Array(rawRepresentation) }
    }

    /// A public key; immutable and thread-safe.
    package struct PublicKey: Sendable {
        /// The numbers of a key, big endian.
        package struct Primitives: Sendable, Equatable {
            /// n.
            package let modulus: [UInt8]
            /// e.
            package let publicExponent: [UInt8]
        }

        private let key: KeyHandle
        private let numbers: Primitives

        fileprivate init(_ key: KeyHandle, _ allowed: ClosedRange<Int> = bits) throws(CryptographyError) {
            guard key.isRSA, allowed.contains(key.bitCount), let modulus = key.number(OSSL_PKEY_PARAM_RSA_N),
                let exponent = key.number(OSSL_PKEY_PARAM_RSA_E), modulus.last.map({ $0 % 2 == 1 }) ?? false,
                // An exponent of 1 makes everything valid, and a long one makes each verification slow.
                exponent.count <= 5, (3...1 << 33).contains(exponent.reduce(0) { $0 << 8 | Int($1) }),
                exponent.last.map({ $0 % 2 == 1 }) ?? false
            else { throw .invalidKey }
            self.key = key
            numbers = Primitives(modulus: modulus, publicExponent: exponent)
        }

        /// Creates a key of 2048 to 8192 bits from its numbers, big endian.
        ///
        /// - Throws: ``CryptographyError/invalidKey``, also for an exponent that is even, 1 or above 2^33.
        package init(n: some Collection<UInt8>, e: some Collection<UInt8>) throws(CryptographyError) {
            let (modulus, exponent) = (Array(n), Array(e))
            // Before OpenSSL computes with numbers of any size.
            guard modulus.count <= 1025, exponent.count <= 1025 else { throw .invalidKey }
            try self.init(
                KeyHandle { switchboard_RSA_key(modulus, Int32(modulus.count), exponent, Int32(exponent.count)) }
            )
        }

        /// Creates a key of 2048 to 8192 bits from the PEM of a SubjectPublicKeyInfo (`BEGIN PUBLIC KEY`).
        ///
        /// - Throws: ``CryptographyError``.
        package init(pemRepresentation: String) throws(CryptographyError) {
            try self.init(pem: pemRepresentation, bits)
        }

        /// Creates a key as ``init(pemRepresentation:)``, but from 1024 bits: the caller checks the size.
        package init(unsafePEMRepresentation pemRepresentation: String) throws(CryptographyError) {
            try self.init(pem: pemRepresentation, unsafeBits)
        }

        private init(pem text: String, _ allowed: ClosedRange<Int>) throws(CryptographyError) {
            let pem = try PEM(text)
            guard pem.label == "PUBLIC KEY" else { throw .invalidKey }
            try self.init(KeyHandle(publicDER: pem.der), allowed)
        }

        /// The length of the modulus in bits.
        package var keySizeInBits: Int { key.bitCount }
        /// The SubjectPublicKeyInfo.
        package var derRepresentation: [UInt8] { key.publicDER }
        /// The SubjectPublicKeyInfo as PEM, without a newline at its end.
        package var pemRepresentation: String { PEM(label: "PUBLIC KEY", der: key.publicDER).text }

        /// Returns the numbers, without leading zeros.
        package func getKeyPrimitives() -> Primitives { numbers }

        /// Returns whether a signature is that of data with SHA-256; false for one that is not as long as the modulus.
        package func isValidSignature(
            _ signature: RSASignature,
            for data: some Collection<UInt8>,
            padding: Padding
        ) -> Bool {
            isValidSignature(signature, for: SHA256.hash(data: data), padding: padding)
        }

        /// Returns whether a signature is that of a digest; false for one that is not as long as the modulus.
        package func isValidSignature<Function>(
            _ signature: RSASignature,
            for digest: HashDigest<Function>,
            padding: Padding
        ) -> Bool {
            signature.rawRepresentation.count == numbers.modulus.count
                && key.isValid(signature.rawRepresentation, of: digest, padding: padding)
        }
    }
}

extension _RSA.Signing {
    /// The size of a new key.
    package struct KeySize: Sendable {
        /// 2048 bits.
        package static let bits2048 = KeySize(bitCount: 2048)
        /// 3072 bits.
        package static let bits3072 = KeySize(bitCount: 3072)

        let bitCount: UInt32
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
        package init(keySize: KeySize) throws(CryptographyError) {
            try self.init(KeyHandle { switchboard_EVP_RSA_gen(keySize.bitCount) })
        }

        /// Creates a key of 2048 to 8192 bits from the PEM of PKCS#8 (`BEGIN PRIVATE KEY`) or PKCS#1 (`BEGIN RSA PRIVATE
        /// KEY`), not encrypted.
        ///
        /// - Throws: ``CryptographyError``.
        package init(pemRepresentation: String) throws(CryptographyError) {
            let pem = try PEM(pemRepresentation)
            guard ["PRIVATE KEY", "RSA PRIVATE KEY"].contains(pem.label) else { throw .invalidKey }
            try self.init(KeyHandle(privateDER: pem.der))
            // Shows numbers that do not belong together, at a fiftieth of the time that OpenSSL takes to test primes.
            let digest = SHA256.hash(data: [])
            guard let signature = try? signature(for: digest, padding: .insecurePKCS1v1_5),
                publicKey.isValidSignature(signature, for: digest, padding: .insecurePKCS1v1_5)
            else { throw .invalidKey }
        }

        /// The length of the modulus in bits.
        package var keySizeInBits: Int { key.bitCount }
        /// The key as PKCS#8 PEM, without a newline at its end: secret.
        package var pkcs8PEMRepresentation: String { PEM(label: "PRIVATE KEY", der: key.privateDER).text }

        /// Signs data with SHA-256.
        ///
        /// - Throws: ``CryptographyError/unavailable``.
        package func signature(
            for data: some Collection<UInt8>,
            padding: Padding
        ) throws(CryptographyError) -> RSASignature {
            try signature(for: SHA256.hash(data: data), padding: padding)
        }

        /// Signs a digest.
        ///
        /// - Throws: ``CryptographyError/unavailable``.
        package func signature<Function>(
            for digest: HashDigest<Function>,
            padding: Padding
        ) throws(CryptographyError) -> RSASignature {
            RSASignature(rawRepresentation: try key.signature(of: digest, padding: padding))
        }
    }
}
