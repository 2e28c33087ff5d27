package import GatewayModel

/// The part of a ``GatewayStore`` with the subscriptions to the outbound feed.
package protocol SubscriptionStore: Sendable {
    /// Returns all of a brand's subscriptions, and the end of the feed; empty when there is no such brand.
    func subscriptions(brand: BrandID) async throws(StorageError) -> OutboundOverview

    /// Finds a subscription, or creates it at the end of the feed or, if `fromStart`, at its oldest stored item;
    /// returns it as it is now, or the reason why there is none.
    ///
    /// From then on items are stored for the brand; a brand without a reader stores none. `owner` owns a new one, and
    /// an existing one whose owner is still `formerOwner`, the deleted account that the caller found, or nil for one
    /// without an owner; a nil `owner` changes none.
    func openSubscription(
        brand id: BrandID,
        _ subscription: SubscriptionID,
        fromStart: Bool,
        owner: String?,
        formerOwner: String?,
        now: Timestamp
    ) async throws(StorageError) -> SubscriptionOpening

    /// Moves a subscription's mark forward to the last position that was read; a mark that is further already stays.
    ///
    /// - Returns: The present mark, or the reason why it was not moved.
    func acknowledge(
        brand: BrandID,
        _ subscription: SubscriptionID,
        upTo: Int64,
        now: Timestamp
    ) async throws(StorageError) -> SubscriptionAck

    /// Deletes a subscription; an audit entry is written in the same transaction; false when there is no such
    /// subscription.
    func deleteSubscription(
        brand: BrandID,
        _ subscription: SubscriptionID,
        audit: AuditEntry?
    ) async throws(StorageError) -> Bool
}
