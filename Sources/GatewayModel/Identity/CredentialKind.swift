/// The kind of a credential (BrandsAndApps page).
package enum CredentialKind: String, Sendable, CaseIterable, Codable {
    /// A back-end's Basic user and password with scopes.
    case serviceAccount
    /// The key that Bloomreach's SDK carries in every app, public in effect.
    case apiKey
    /// A named HMAC secret that signs consumers' assertions (CCAI).
    case sdkKey
    /// A login system that signs consumers' assertions with a private key of its own (implicit flow).
    case jwtIssuer
    /// The key that decrypts consumers' encrypted assertions.
    case jweKey
    /// The identity provider that redeems authorization codes (code flow).
    case identityProvider
    /// The HMAC key of Bloomreach's customer tokens.
    case customerTokenKey
    /// The account at Talkdesk for which an app may get access tokens.
    case tokenBroker
}
