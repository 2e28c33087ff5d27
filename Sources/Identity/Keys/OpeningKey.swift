internal import Cryptography
package import GatewayModel

/// A private key that decrypts encrypted assertions with one algorithm, parsed once.
///
/// Thread-safe.
package struct OpeningKey: Sendable {
    private enum Key: Sendable {
        case rsa(KeyHandle, RSA.LabelHash)
        case p256(P256.PrivateKey)
    }

    /// The only algorithm that it decrypts.
    package let algorithm: KeyEncryptionAlgorithm
    private let key: Key

    /// Parses a private key: PKCS#8 or the traditional form, not encrypted.
    package init(privatePEM pem: String, algorithm: KeyEncryptionAlgorithm) throws(KeyRejection) {
        let read = try AsymmetricKey(privatePEM: pem, for: .encryption(algorithm))
        self.algorithm = algorithm
        switch algorithm {
        case .rsaOAEP: key = .rsa(read.handle, .sha1)
        case .rsaOAEP256: key = .rsa(read.handle, .sha256)
        case .ecdhES:
            guard let key = try? P256.PrivateKey(pemRepresentation: read.privatePEM) else { throw .invalid }
            self.key = .p256(key)
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
        case .rsa(let own, let hash):
            // Generated in any case, so that success and failure take the same time otherwise.
            let random = SecureRandom.bytes(length)
            guard let opened = own.opened(jwe.encryptedKey, hash), opened.count == length else { return random }
            return opened
        case .p256(let own):
            // Direct agreement has no encrypted key (RFC 7516 section 5.2 step 10).
            guard jwe.encryptedKey.isEmpty, let agreement = KeyAgreementHeader(jwe.header) else {
                throw .tokenInvalid(.malformed)
            }
            guard var secret = try? own.sharedSecret(with: agreement.ephemeralKey) else {
                return SecureRandom.bytes(length)
            }
            defer { secret.cleanse() }
            return ConcatKDF.key(
                of: secret,
                bits: length * 8,
                algorithm: jwe.encryption.rawValue,
                partyU: agreement.partyU,
                partyV: agreement.partyV
            )
        }
    }
}
