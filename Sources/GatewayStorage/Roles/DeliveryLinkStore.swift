package import GatewayModel

/// The part of a ``GatewayStore`` with the links that show one delivery.
///
/// A link that has expired is returned by none of these; housekeeping removes it. An audit entry is written in the same
/// transaction as the change.
package protocol DeliveryLinkStore: Sendable {
    /// Stores a new link.
    ///
    /// - Parameters:
    ///   - link: The link.
    ///   - limit: The maximum number of links of its delivery.
    ///   - brandLimit: The maximum number of links of its brand.
    ///   - audit: The audit entry; nil writes none.
    /// - Returns: False when there are as many as a limit allows, or no such brand; then nothing is written.
    /// - Throws: `StorageError`.
    func insertDeliveryLink(
        _ link: StoredDeliveryLink,
        limit: Int,
        brandLimit: Int,
        audit: AuditEntry?
    ) async throws(StorageError) -> Bool

    /// Returns the links of a delivery, the oldest first.
    func deliveryLinks(
        brand: BrandID,
        delivery: DeliveryID,
        now: Timestamp
    ) async throws(StorageError) -> [StoredDeliveryLink]

    /// Returns the link of a token, named by its SHA-256; nil when there is none.
    func deliveryLink(tokenHash: [UInt8], now: Timestamp) async throws(StorageError) -> StoredDeliveryLink?

    /// Deletes a link; false when there is none.
    func deleteDeliveryLink(tokenHash: [UInt8], audit: AuditEntry?) async throws(StorageError) -> Bool
}
