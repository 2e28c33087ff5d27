package import GatewayModel

/// The use of a key, which determines its type.
package enum KeyUse: Sendable, Equatable {
    /// Signing, or verifying a signature.
    case signature(SignatureAlgorithm)
    /// Decryption or encryption.
    case encryption(KeyEncryptionAlgorithm)

    /// The required key type.
    var type: AsymmetricKey.KeyType {
        switch self {
        case .signature(.rs256), .signature(.ps256), .encryption(.rsaOAEP256), .encryption(.rsaOAEP): .rsa
        case .signature(.es256), .encryption(.ecdhES): .p256
        }
    }
}
