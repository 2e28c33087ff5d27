package import GatewayModel

/// An operator's request for a credential, with the secrets that it imports.
package enum CredentialRequest: Sendable, Equatable {
    /// A back-end's account.
    case serviceAccount(scopes: [Scope])
    /// Bloomreach's public key.
    case apiKey
    /// An HMAC key for assertions; `secret` imports one, 32 bytes or more for any algorithm (BrandsAndApps page), and
    /// nil generates one as long as the algorithm's hash.
    case sdkKey(
        algorithm: HMACAlgorithm,
        secret: String?,
        app: AppID?,
        limits: AssertionLimits = AssertionLimits()
    )
    /// A login system that signs assertions with its own key.
    case jwtIssuer(JWTIssuerDetails)
    /// A key that decrypts assertions; `privateKey` imports one (PEM), and nil generates one.
    case jweKey(algorithm: KeyEncryptionAlgorithm, privateKey: String?)
    /// An identity provider that redeems codes, with the gateway's client secret there.
    case identityProvider(IdentityProviderDetails, clientSecret: String)
    /// An HMAC key for customer tokens; `secret` imports one, and nil generates one of 32 bytes.
    case customerTokenKey(secret: String?)
    /// An account at Talkdesk, with the key (PEM) that signs the gateway's assertions there; without a decider every
    /// request is granted.
    case tokenBroker(
        app: AppID,
        tokenUrl: String,
        clientId: String,
        keyId: String,
        scope: String,
        privateKey: String,
        decider: AccessDecider? = nil
    )
}
