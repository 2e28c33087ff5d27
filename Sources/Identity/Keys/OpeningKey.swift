internal import Cryptography
package import GatewayModel

/// A private key that decrypts encrypted assertions with one algorithm, parsed once.
///
/// Thread-safe.
package struct OpeningKey: Sendable {
    private enum Key: Sendable {
        case rsa(OAEPKey)
        case p256(P256.KeyAgreement.PrivateKey)
    }

    /// The only algorithm that it decrypts.
    package let algorithm: KeyEncryptionAlgorithm
    private let key: Key

    /// Parses a private key: PKCS#8 or the traditional form, not encrypted.
    package init(privatePEM pem: String, algorithm: KeyEncryptionAlgorithm) throws(KeyRejection) {
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

    /// Returns the content key of a token.
    ///
    /// - Parameter jwe: The token; its `alg` is the key's.
    /// - Returns: 32 bytes. On an error they are random, so that the content fails to decrypt and the failed step is
    ///   not visible (RFC 7516 section 11.5).
    /// - Throws: ``AuthenticationError/tokenInvalid(_:)`` with `malformed` for errors that the header alone shows.
    func contentKey(of jwe: CompactJWE) throws(AuthenticationError) -> [UInt8] {
        let length = ContentEncryption.keyBytes
        switch key {
        case .rsa(let rsa):
            // Generated in any case, so that success and failure take the same time otherwise.
            let random = SecureRandom.bytes(length)
            guard let opened = rsa.opened(jwe.encryptedKey), opened.count == length else { return random }
            return opened
        case .p256(let own):
            // Direct agreement has no encrypted key (RFC 7516 section 5.2 step 10).
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
