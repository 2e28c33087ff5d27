/// Who signs consumers' assertions in the implicit flow; nothing of it is secret.
///
/// Assertions name it by `issuer`. Several with one issuer may be active at once, so that its key can change.
package struct JWTIssuerDetails: Codable, Sendable, Equatable {
    /// The `iss` of its tokens.
    package var issuer: String
    /// The name by which apps choose it (R61).
    package var issuerDisplayName: String?
    /// The `aud` that its tokens must name; nil asks for none.
    package var audience: String?
    /// How its signatures are verified.
    package var key: VerificationKey
    /// Limits of its tokens.
    package var limits: AssertionLimits

    private enum CodingKeys: String, CodingKey {
        case issuer, issuerDisplayName, audience
    }

    /// Takes an issuer.
    ///
    /// - Parameters:
    ///   - issuer: The `iss` of its tokens.
    ///   - issuerDisplayName: The name by which apps choose it.
    ///   - audience: The `aud` that its tokens must name.
    ///   - key: How its signatures are verified.
    ///   - limits: Limits of its tokens.
    package init(
        issuer: String,
        issuerDisplayName: String?,
        audience: String?,
        key: VerificationKey,
        limits: AssertionLimits = AssertionLimits()
    ) {
        self.issuer = issuer
        self.issuerDisplayName = issuerDisplayName
        self.audience = audience
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
        audience = try members.decodeIfPresent(String.self, forKey: .audience)
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
        try members.encodeIfPresent(audience, forKey: .audience)
        try key.encode(to: encoder)
        try limits.encode(to: encoder)
    }
}
