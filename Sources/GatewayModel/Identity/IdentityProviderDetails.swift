/// The identity provider that redeems authorization codes in the code flow (R50); the client secret is stored
/// elsewhere.
package struct IdentityProviderDetails: Codable, Sendable, Equatable {
    /// The client authentication at the token endpoint (RFC 6749 section 2.3.1).
    package enum ClientAuthentication: String, Codable, Sendable, CaseIterable {
        /// In the `Authorization` header.
        case basic
        /// In the body, as `client_id` and `client_secret`.
        case body
    }

    /// The requirement of a code challenge in authorization requests (RFC 7636).
    package enum PKCE: String, Codable, Sendable, CaseIterable {
        /// A code without a verifier is rejected.
        case required
        /// A verifier is checked if there is one.
        case optional
    }

    /// The `iss` of its id tokens.
    package var issuer: String
    /// The name by which apps choose it (R61).
    package var issuerDisplayName: String?
    /// The URL of the token endpoint.
    package var tokenEndpoint: String
    /// The gateway's client id there.
    package var clientId: String
    /// The client authentication there.
    package var clientAuth: ClientAuthentication
    /// The only redirect URIs that apps may send (R52), compared as strings.
    package var redirectUris: [String]
    /// Whether authorization requests must have had a code challenge.
    package var pkce: PKCE
    /// The key that verifies the signatures of id tokens.
    package var key: VerificationKey
    /// The limits of its id tokens.
    package var limits: AssertionLimits

    private enum CodingKeys: String, CodingKey {
        case issuer, issuerDisplayName, tokenEndpoint, clientId, clientAuth, redirectUris, pkce
    }

    /// Creates a provider.
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

    /// Decodes the flat members; throws `DecodingError`.
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

    /// Encodes the flat members.
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
