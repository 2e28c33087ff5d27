internal import GatewayModel

/// A key that decrypts consumers' assertions, in memory.
struct JWEKey: Sendable {
    /// The `kid` that names it.
    var id: String
    var brand: BrandID
    var key: OpeningKey
    var expiresAt: Timestamp?
    var createdAt: Timestamp
}
