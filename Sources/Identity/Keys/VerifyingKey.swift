internal import Cryptography
package import GatewayModel
internal import TextFormats

/// A public key that verifies signatures with one algorithm, parsed once.
///
/// Thread-safe.
package struct VerifyingKey: Sendable {
    private enum Key: Sendable {
        case rsa(RSA.PublicKey, RSA.Padding)
        case p256(P256.PublicKey)
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
            // From 1024 bits, so that the rejection names the size.
            guard let key = try? RSA.PublicKey(pemRepresentation: pem, bits: 1024...RSA.bits.upperBound) else {
                throw .unreadable
            }
            guard AsymmetricKey.rsaBits.contains(key.keySizeInBits) else { throw .wrongSize(bits: key.keySizeInBits) }
            self.key = Self.rsa(key, algorithm)
        case .es256:
            guard let key = try? P256.PublicKey(pemRepresentation: pem) else { throw .unreadable }
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
        guard RSA.PublicKey.isGood(exponent: exponent) else { throw .wrongExponent }
        guard let key = try? RSA.PublicKey(n: modulus, e: exponent) else { throw .invalid }
        self.algorithm = algorithm
        self.keyID = keyID
        self.key = Self.rsa(key, algorithm)
    }

    /// Creates a key on P-256.
    init(_ key: P256.PublicKey, algorithm: SignatureAlgorithm, keyID: String?) {
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
        // For PSS the salt is as long as the hash, as RFC 7518 section 3.5 requires.
        case .rsa(let key, let padding): key.isValidSignature(signature, for: input, padding: padding)
        case .p256(let key): key.isValidSignature(signature, for: input)
        }
    }

    private static func rsa(_ key: RSA.PublicKey, _ algorithm: SignatureAlgorithm) -> Key {
        .rsa(key, algorithm == .ps256 ? .pss : .pkcs1)
    }
}

extension [UInt8] {
    /// The number of bits of a big-endian number without leading zero bytes.
    fileprivate var bitCount: Int { first.map { count * 8 - $0.leadingZeroBitCount } ?? 0 }
}
