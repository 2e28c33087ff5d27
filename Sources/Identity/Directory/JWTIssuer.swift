internal import GatewayModel

/// Who signs consumers' assertions with a key of its own, as it is held in memory.
struct JWTIssuer: Sendable {
    var id: String
    var name: String
    var brand: BrandID
    var details: JWTIssuerDetails
    /// The key that was given, read when the credential was taken in; nil when the issuer publishes its keys.
    var key: VerifyingKey?
    var expiresAt: Timestamp?
    var createdAt: Timestamp
}
