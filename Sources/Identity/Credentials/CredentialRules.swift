package import GatewayModel

/// Checks that run before a credential is created, so that all errors of a request are reported at once.
///
/// Each returns the error as a phrase that follows the member's name, or nil.
package enum CredentialRules {
    /// Returns the error of an HMAC secret that is imported; nil for a valid one.
    package static func problem(ofSecret text: String) -> String? {
        let bytes = CredentialParts.secretBytes
        return bytes.contains(text.utf8.count) ? nil : "must be \(bytes.lowerBound) to \(bytes.upperBound) bytes"
    }

    /// Returns the error of a public key; nil for a valid one.
    package static func problem(ofPublicKey pem: String, _ algorithm: SignatureAlgorithm) -> String? {
        do {
            let key = try AsymmetricKey(publicPEM: pem, for: .signature(algorithm))
            _ = try VerifyingKey(publicPEM: key.publicKey.publicKey, algorithm: algorithm, keyID: nil)
            return nil
        } catch { return error.text }
    }

    /// Returns the error of a private key that is imported; nil for a valid one.
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
