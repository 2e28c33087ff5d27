/// What kind of credential it is (BrandsAndApps page).
package enum CredentialKind: String, Sendable, CaseIterable, Codable {
    /// A back-end's Basic user and password with scopes.
    case serviceAccount
    /// The key that Bloomreach's SDK carries in every app, public in effect.
    case apiKey
    /// A named HMAC secret that signs consumers' assertions (CCAI).
    case sdkKey
    /// Who signs consumers' assertions with a private key of its own (implicit flow).
    case jwtIssuer
    /// The key that consumers' encrypted assertions are opened with.
    case jweKey
    /// Where an authorization code is redeemed (code flow).
    case identityProvider
    /// The HMAC key of Bloomreach's customer tokens.
    case customerTokenKey
    /// The account at Talkdesk whose access tokens an app may have.
    case tokenBroker
}
