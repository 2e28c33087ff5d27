package import GatewayModel

/// What a key is for, which decides its type.
package enum KeyUse: Sendable, Equatable {
    /// Signing, or verifying a signature.
    case signature(SignatureAlgorithm)
    /// Opening, or closing, what is encrypted.
    case encryption(KeyEncryptionAlgorithm)

    /// The type that it needs.
    var type: AsymmetricKey.KeyType {
        switch self {
        case .signature(.rs256), .signature(.ps256), .encryption(.rsaOAEP256), .encryption(.rsaOAEP): .rsa
        case .signature(.es256), .encryption(.ecdhES): .p256
        }
    }
}
