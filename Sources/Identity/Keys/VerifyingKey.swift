internal import Cryptography
package import GatewayModel
internal import TextFormats

/// A public key that verifies signatures with one algorithm, parsed once.
///
/// Thread-safe.
package struct VerifyingKey: Sendable {
    private enum Key: Sendable {
        case rsa(_RSA.Signing.PublicKey, _RSA.Signing.Padding)
        case p256(P256.Signing.PublicKey)
    }

    /// The only algorithm that it verifies.
    package let algorithm: SignatureAlgorithm
    /// The `kid`, if it has one.
    package let keyID: String?
    private let key: Key

    /// Parses a PEM key: SubjectPublicKeyInfo (`BEGIN PUBLIC KEY`) and nothing else; `keyID` is its `kid`, if it has
    /// one.
    package init(publicPEM pem: String, algorithm: SignatureAlgorithm, keyID: String?) throws(KeyRejection) {
        guard pem.utf8.count <= AsymmetricKey.maxPEMBytes else { throw .unreadable }
        guard !pem.containsBytes(of: "PRIVATE KEY-----") else { throw .privateKey }
        self.algorithm = algorithm
        self.keyID = keyID
        switch algorithm {
        case .rs256, .ps256:
            guard let key = try? _RSA.Signing.PublicKey(unsafePEMRepresentation: pem) else { throw .unreadable }
            self.key = try Self.checked(key, algorithm)
        case .es256:
            guard let key = try? P256.Signing.PublicKey(pemRepresentation: pem) else { throw .unreadable }
            self.key = .p256(key)
        }
    }

    /// Creates an RSA key from its numbers, big endian and without leading zeros.
    init(
        modulus: [UInt8],
        exponent: [UInt8],
        algorithm: SignatureAlgorithm,
        keyID: String?
    ) throws(KeyRejection) {
        // Before the library computes with numbers of any size.
        let bits = modulus.bitCount
        guard AsymmetricKey.rsaBits.contains(bits) else { throw .wrongSize(bits: bits) }
        guard Self.isGood(exponent: exponent) else { throw .wrongExponent }
        guard let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent) else { throw .invalid }
        self.algorithm = algorithm
        self.keyID = keyID
        self.key = try Self.checked(key, algorithm)
    }

    /// Creates a P-256 key from its coordinates, each of 32 bytes; the library rejects a point that is not on the
    /// curve.
    init(x: [UInt8], y: [UInt8], algorithm: SignatureAlgorithm, keyID: String?) throws(KeyRejection) {
        guard let key = try? P256.Signing.PublicKey(rawRepresentation: x + y) else { throw .invalid }
        self.algorithm = algorithm
        self.keyID = keyID
        self.key = .p256(key)
    }

    /// Returns whether a signature is valid for the key.
    ///
    /// - Parameters:
    ///   - signature: The signature as in a JWS (RFC 7518 section 3): for RSA as long as the modulus, for ES256 the 64
    ///     bytes of r and s, never DER.
    ///   - input: The signed bytes.
    /// - Returns: False also for every other length.
    package func isValid(_ signature: [UInt8], of input: [UInt8]) -> Bool {
        switch key {
        case .rsa(let key, let padding):
            guard signature.count == (key.keySizeInBits + 7) / 8 else { return false }
            // For PSS the salt is as long as the hash, as RFC 7518 section 3.5 requires.
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature),
                for: SHA256.hash(data: input),
                padding: padding
            )
        case .p256(let key):
            guard signature.count == 64,
                let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: SHA256.hash(data: input))
        }
    }

    private static func checked(
        _ key: _RSA.Signing.PublicKey,
        _ algorithm: SignatureAlgorithm
    ) throws(KeyRejection) -> Key {
        guard AsymmetricKey.rsaBits.contains(key.keySizeInBits) else { throw .wrongSize(bits: key.keySizeInBits) }
        guard isGood(exponent: key.getKeyPrimitives().publicExponent) else { throw .wrongExponent }
        return .rsa(key, algorithm == .ps256 ? .PSS : .insecurePKCS1v1_5)
    }

    /// Returns whether an exponent is odd and from 3 to 2^33: 1 verifies everything, and a large one makes verification
    /// expensive.
    private static func isGood(exponent bytes: [UInt8]) -> Bool {
        let bytes = bytes.drop { $0 == 0 }
        guard bytes.count <= 5 else { return false }
        let value = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return value >= 3 && value <= 1 << 33 && value % 2 == 1
    }
}

extension [UInt8] {
    /// The number of bits of a big-endian number without leading zero bytes.
    fileprivate var bitCount: Int { first.map { count * 8 - $0.leadingZeroBitCount } ?? 0 }
}
