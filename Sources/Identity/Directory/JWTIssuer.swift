internal import GatewayModel

/// A login system that signs consumers' assertions with its own key, in memory.
struct JWTIssuer: Sendable {
    var id: String
    var name: String
    var brand: BrandID
    var details: JWTIssuerDetails
    /// The fixed key, parsed when the credential was loaded; nil when the issuer publishes its keys.
    var key: VerifyingKey?
    var expiresAt: Timestamp?
    var createdAt: Timestamp
}
