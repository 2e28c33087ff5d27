package import GatewayModel

/// A credential as an operator wants it, with the secrets that are brought along.
package enum CredentialRequest: Sendable, Equatable {
    /// A back-end's account.
    case serviceAccount(scopes: [Scope])
    /// Bloomreach's public key.
    case apiKey
    /// An HMAC key for assertions; `secret` takes one over, 32 bytes or more whatever the algorithm
    /// (BrandsAndApps page), and nil makes one as long as the algorithm's hash.
    case sdkKey(
        algorithm: HMACAlgorithm,
        secret: String?,
        app: AppID?,
        limits: AssertionLimits = AssertionLimits()
    )
    /// Who signs assertions with a key of its own.
    case jwtIssuer(JWTIssuerDetails)
    /// A key that opens assertions; `privateKey` takes one over (PEM), and nil makes one.
    case jweKey(algorithm: KeyEncryptionAlgorithm, privateKey: String?)
    /// Where codes are redeemed, with our secret there.
    case identityProvider(IdentityProviderDetails, clientSecret: String)
    /// An HMAC key for customer tokens; `secret` takes one over, and nil makes one of 32 bytes.
    case customerTokenKey(secret: String?)
    /// An account at Talkdesk, with the key (PEM) that signs our assertions there.
    case tokenBroker(app: AppID, tokenUrl: String, clientId: String, keyId: String, scope: String, privateKey: String)

    /// The kind that is wanted.
    package var kind: CredentialKind {
        switch self {
        case .serviceAccount: .serviceAccount
        case .apiKey: .apiKey
        case .sdkKey: .sdkKey
        case .jwtIssuer: .jwtIssuer
        case .jweKey: .jweKey
        case .identityProvider: .identityProvider
        case .customerTokenKey: .customerTokenKey
        case .tokenBroker: .tokenBroker
        }
    }
}
