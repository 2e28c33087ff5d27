/// The signer of consumers' assertions in the implicit flow, or of a back-end's tokens; nothing of it is secret.
///
/// Assertions refer to it by `issuer`. Several with one issuer may be active at once, so that its key can be rotated.
package struct JWTIssuerDetails: Codable, Sendable, Equatable {
    /// The `iss` of its tokens.
    package var issuer: String
    /// The name by which apps choose it (R61).
    package var issuerDisplayName: String?
    /// The `aud` that its tokens must contain; nil for none.
    package var audience: String?
    /// The key that verifies its signatures.
    package var key: VerificationKey
    /// The limits of its tokens.
    package var limits: AssertionLimits
    /// Whether its tokens authenticate a back-end, for LivePerson's campaigns only, and no consumer; default false.
    package var backend: Bool

    private enum CodingKeys: String, CodingKey {
        case issuer, issuerDisplayName, audience, backend
    }

    /// Creates an issuer.
    package init(
        issuer: String,
        issuerDisplayName: String?,
        audience: String?,
        key: VerificationKey,
        limits: AssertionLimits = AssertionLimits(),
        backend: Bool = false
    ) {
        self.issuer = issuer
        self.issuerDisplayName = issuerDisplayName
        self.audience = audience
        self.key = key
        self.limits = limits
        self.backend = backend
    }

    /// Decodes the flat members; throws `DecodingError`.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        issuer = try members.decode(String.self, forKey: .issuer)
        issuerDisplayName = try members.decodeIfPresent(String.self, forKey: .issuerDisplayName)
        audience = try members.decodeIfPresent(String.self, forKey: .audience)
        key = try VerificationKey(from: decoder)
        limits = try AssertionLimits(from: decoder)
        backend = try members.decodeIfPresent(Bool.self, forKey: .backend) ?? false
    }

    /// Encodes the flat members.
    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(issuer, forKey: .issuer)
        try members.encodeIfPresent(issuerDisplayName, forKey: .issuerDisplayName)
        try members.encodeIfPresent(audience, forKey: .audience)
        try key.encode(to: encoder)
        try limits.encode(to: encoder)
        if backend { try members.encode(backend, forKey: .backend) }
    }
}
