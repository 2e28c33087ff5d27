package import GatewayModel

/// What may be asked before a credential is made, so that everything wrong with a request is told at once.
///
/// Each says what is wrong, as a phrase that follows the member's name, or nil.
package enum CredentialRules {
    /// An HMAC secret that is taken over.
    ///
    /// - Parameter text: The secret.
    /// - Returns: What is wrong with it.
    package static func problem(ofSecret text: String) -> String? {
        let bytes = CredentialParts.secretBytes
        return bytes.contains(text.utf8.count) ? nil : "must be \(bytes.lowerBound) to \(bytes.upperBound) bytes"
    }

    /// A public key.
    ///
    /// - Parameters:
    ///   - pem: The key.
    ///   - algorithm: What it verifies.
    /// - Returns: What is wrong with it.
    package static func problem(ofPublicKey pem: String, _ algorithm: SignatureAlgorithm) -> String? {
        do {
            let key = try AsymmetricKey(publicPEM: pem, for: .signature(algorithm))
            _ = try VerifyingKey(publicPEM: key.publicKey.publicKey, algorithm: algorithm, keyID: nil)
            return nil
        } catch { return error.text }
    }

    /// A private key that is taken over.
    ///
    /// - Parameters:
    ///   - pem: The key.
    ///   - use: What it is for.
    /// - Returns: What is wrong with it.
    package static func problem(ofPrivateKey pem: String, _ use: KeyUse) -> String? {
        do {
            switch use {
            case .signature: _ = try AsymmetricKey(privatePEM: pem, for: use)
            case .encryption(let algorithm): _ = try OpeningKey(privatePEM: pem, algorithm: algorithm)
            }
            return nil
        } catch { return error.text }
    }
}
