internal import Crypto
package import GatewayModel

/// A private key that opens encrypted assertions by one algorithm, read once; any thread may use it.
///
/// RSA is OpenSSL's (the distribution's fixes and policy hold for the private key), P-256 swift-crypto's, which refuses points
/// that are not on the curve.
package struct OpeningKey: Sendable {
    private enum Key: Sendable {
        case rsa(OAEPKey)
        case p256(P256.KeyAgreement.PrivateKey)
    }

    /// The only algorithm that it opens.
    package let algorithm: KeyEncryptionAlgorithm
    private let key: Key

    /// Reads a private key.
    ///
    /// - Parameters:
    ///   - pem: PKCS#8 or the traditional form, not encrypted.
    ///   - algorithm: What it opens.
    /// - Throws: ``KeyRefusal``.
    package init(privatePEM pem: String, algorithm: KeyEncryptionAlgorithm) throws(KeyRefusal) {
        let read = try AsymmetricKey(privatePEM: pem, for: .encryption(algorithm))
        self.algorithm = algorithm
        switch algorithm {
        case .rsaOAEP: key = .rsa(OAEPKey(read, .sha1))
        case .rsaOAEP256: key = .rsa(OAEPKey(read, .sha256))
        case .ecdhES:
            let canonical = String(decoding: read.privatePEM, as: UTF8.self)
            guard let read = try? P256.KeyAgreement.PrivateKey(pemRepresentation: canonical) else { throw .invalid }
            key = .p256(read)
        }
    }

    /// The content key of a token.
    ///
    /// - Parameter jwe: The token; its `alg` is the key's.
    /// - Returns: 32 bytes. When it cannot be had they are random, so that content is opened in vain and nobody learns which
    ///   step failed (RFC 7516 section 11.5).
    /// - Throws: ``AuthenticationError/tokenInvalid(_:)`` with `malformed` for what the header alone shows to be wrong.
    func contentKey(of jwe: CompactJWE) throws(AuthenticationError) -> [UInt8] {
        let length = ContentEncryption.keyBytes
        switch key {
        case .rsa(let rsa):
            // Made in any case, so that the ways of success and failure differ by nothing else.
            let random = SecureRandom.bytes(length)
            guard let opened = rsa.opened(jwe.encryptedKey), opened.count == length else { return random }
            return opened
        case .p256(let own):
            // Direct agreement wraps no key (RFC 7516 section 5.2 step 10).
            guard jwe.encryptedKey.isEmpty, let agreement = KeyAgreementHeader(jwe.header) else {
                throw .tokenInvalid(.malformed)
            }
            guard let secret = try? own.sharedSecretFromKeyAgreement(with: agreement.ephemeralKey) else {
                return SecureRandom.bytes(length)
            }
            return ConcatKDF.key(
                of: secret.withUnsafeBytes { Array($0) },
                bits: length * 8,
                algorithm: jwe.encryption.rawValue,
                partyU: agreement.partyU,
                partyV: agreement.partyV
            )
        }
    }
}
