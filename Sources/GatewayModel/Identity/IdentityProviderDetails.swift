/// Where authorization codes are redeemed in the code flow (R50); the client's secret is kept elsewhere.
package struct IdentityProviderDetails: Codable, Sendable, Equatable {
    /// How we say who we are at the token endpoint (RFC 6749 section 2.3.1).
    package enum ClientAuthentication: String, Codable, Sendable, CaseIterable {
        /// In the `Authorization` header.
        case basic
        /// In the body, as `client_id` and `client_secret`.
        case body
    }

    /// Whether codes must have been asked for with a challenge (RFC 7636).
    package enum PKCE: String, Codable, Sendable, CaseIterable {
        /// A code without a verifier is refused.
        case required
        /// A verifier is checked when there is one.
        case optional
    }

    /// The `iss` of its id tokens.
    package var issuer: String
    /// The name by which apps choose it (R61).
    package var issuerDisplayName: String?
    /// Where codes are exchanged.
    package var tokenEndpoint: String
    /// Our name there.
    package var clientId: String
    /// How we say who we are there.
    package var clientAuth: ClientAuthentication
    /// The only redirect URIs that apps may name (R52), compared as texts.
    package var redirectUris: [String]
    /// Whether codes must have been asked for with a challenge.
    package var pkce: PKCE
    /// How the signatures of id tokens are verified.
    package var key: VerificationKey
    /// Limits of its id tokens.
    package var limits: AssertionLimits

    private enum CodingKeys: String, CodingKey {
        case issuer, issuerDisplayName, tokenEndpoint, clientId, clientAuth, redirectUris, pkce
    }

    /// Takes a provider.
    ///
    /// - Parameters:
    ///   - issuer: The `iss` of its id tokens.
    ///   - issuerDisplayName: The name by which apps choose it.
    ///   - tokenEndpoint: Where codes are exchanged.
    ///   - clientId: Our name there.
    ///   - clientAuth: How we say who we are there.
    ///   - redirectUris: The only redirect URIs that apps may name.
    ///   - pkce: Whether codes must have been asked for with a challenge.
    ///   - key: How the signatures of id tokens are verified.
    ///   - limits: Limits of its id tokens.
    package init(
        issuer: String,
        issuerDisplayName: String?,
        tokenEndpoint: String,
        clientId: String,
        clientAuth: ClientAuthentication,
        redirectUris: [String],
        pkce: PKCE,
        key: VerificationKey,
        limits: AssertionLimits = AssertionLimits()
    ) {
        self.issuer = issuer
        self.issuerDisplayName = issuerDisplayName
        self.tokenEndpoint = tokenEndpoint
        self.clientId = clientId
        self.clientAuth = clientAuth
        self.redirectUris = redirectUris
        self.pkce = pkce
        self.key = key
        self.limits = limits
    }

    /// Reads the flat members.
    ///
    /// - Parameter decoder: Holds them.
    /// - Throws: `DecodingError`.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        issuer = try members.decode(String.self, forKey: .issuer)
        issuerDisplayName = try members.decodeIfPresent(String.self, forKey: .issuerDisplayName)
        tokenEndpoint = try members.decode(String.self, forKey: .tokenEndpoint)
        clientId = try members.decode(String.self, forKey: .clientId)
        clientAuth = try members.decode(ClientAuthentication.self, forKey: .clientAuth)
        redirectUris = try members.decode([String].self, forKey: .redirectUris)
        pkce = try members.decode(PKCE.self, forKey: .pkce)
        key = try VerificationKey(from: decoder)
        limits = try AssertionLimits(from: decoder)
    }

    /// Writes the flat members.
    ///
    /// - Parameter encoder: Takes them.
    /// - Throws: What the encoder throws.
    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(issuer, forKey: .issuer)
        try members.encodeIfPresent(issuerDisplayName, forKey: .issuerDisplayName)
        try members.encode(tokenEndpoint, forKey: .tokenEndpoint)
        try members.encode(clientId, forKey: .clientId)
        try members.encode(clientAuth, forKey: .clientAuth)
        try members.encode(redirectUris, forKey: .redirectUris)
        try members.encode(pkce, forKey: .pkce)
        try key.encode(to: encoder)
        try limits.encode(to: encoder)
    }
}
