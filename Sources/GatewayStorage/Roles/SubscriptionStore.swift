package import GatewayModel

/// The part of a ``GatewayStore`` with the subscriptions to the outbound feed.
package protocol SubscriptionStore: Sendable {
    /// Returns a brand's subscriptions.
    ///
    /// - Parameter brand: The brand.
    /// - Returns: All of them, and the end of the feed; empty when there is no such brand.
    /// - Throws: `StorageError`.
    func subscriptions(brand: BrandID) async throws(StorageError) -> OutboundOverview

    /// Finds a subscription, or creates it.
    ///
    /// From then on items are stored for the brand; a brand without a reader stores none.
    ///
    /// - Parameters:
    ///   - id: The brand.
    ///   - subscription: Its name.
    ///   - fromStart: Whether a new one begins with the oldest stored item, and not at the end.
    ///   - owner: The service account that owns a new one, and an existing one whose owner is still `formerOwner`; nil
    ///     changes no owner.
    ///   - formerOwner: The owner that the caller found, whose account is deleted; nil for one without an owner.
    ///   - now: The time of the change.
    /// - Returns: The subscription as it is now, or the reason why there is none.
    /// - Throws: `StorageError`.
    func openSubscription(
        brand id: BrandID,
        _ subscription: SubscriptionID,
        fromStart: Bool,
        owner: String?,
        formerOwner: String?,
        now: Timestamp
    ) async throws(StorageError) -> SubscriptionOpening

    /// Moves a subscription's mark forward; a mark that is further already stays.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - subscription: The subscription.
    ///   - upTo: The last position that was read.
    ///   - now: The time of the change.
    /// - Returns: The present mark, or the reason why it was not moved.
    /// - Throws: `StorageError`.
    func acknowledge(
        brand: BrandID,
        _ subscription: SubscriptionID,
        upTo: Int64,
        now: Timestamp
    ) async throws(StorageError) -> SubscriptionAck

    /// Deletes a subscription.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - subscription: The subscription.
    ///   - audit: The audit entry, written in the same transaction; nil writes none.
    /// - Returns: False when there is none.
    /// - Throws: `StorageError`.
    func deleteSubscription(
        brand: BrandID,
        _ subscription: SubscriptionID,
        audit: AuditEntry?
    ) async throws(StorageError) -> Bool
}
