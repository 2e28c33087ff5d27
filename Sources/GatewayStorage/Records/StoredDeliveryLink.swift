package import GatewayModel

/// A link that shows one delivery to whoever has its token.
package struct StoredDeliveryLink: Sendable, Equatable {
    /// The SHA-256 of the token.
    package var tokenHash: [UInt8]
    /// The brand.
    package var brand: BrandID
    /// The delivery.
    package var delivery: DeliveryID
    /// The caller that created it.
    package var actor: AuditActor
    /// When it was created.
    package var createdAt: Timestamp
    /// When it ends.
    package var expiresAt: Timestamp

    /// Creates a link.
    package init(
        tokenHash: [UInt8],
        brand: BrandID,
        delivery: DeliveryID,
        actor: AuditActor,
        createdAt: Timestamp,
        expiresAt: Timestamp
    ) {
        self.tokenHash = tokenHash
        self.brand = brand
        self.delivery = delivery
        self.actor = actor
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}
