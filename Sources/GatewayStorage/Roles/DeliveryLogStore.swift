package import GatewayModel

/// The part of a ``GatewayStore`` that reads deliveries and statistics; turns write them.
package protocol DeliveryLogStore: Sendable {
    /// Returns deliveries by filter, newest first, from the outbox and the delivery log.
    ///
    /// The work for a page is bounded, whatever the delivery log holds of this brand or others. With one filter, or
    /// with one and a time range, a page of finished deliveries is full unless it is the last. With several filters,
    /// and where the outbox holds many rows, a page may be shorter than the limit, even empty, with another after it. A
    /// delivery that finishes between two pages keeps its place. A cursor stays valid when its delivery is removed.
    ///
    /// - Parameter query: The filter and the page.
    /// - Returns: A page.
    /// - Throws: `StorageError`.
    func deliveries(_ query: DeliveryQuery) async throws(StorageError) -> DeliveryPage

    /// Returns one delivery with all its attempts, oldest first.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - id: The delivery.
    /// - Returns: Nil when the brand has no such delivery.
    /// - Throws: `StorageError`.
    func delivery(brand: BrandID, id: DeliveryID) async throws(StorageError) -> DeliveryDetail?

    /// Returns changes of finished deliveries in the order in which they happened, for readers that follow them.
    ///
    /// Each delivery appears once, at its newest change: one that changes again moves to the end. Changes are numbered
    /// in commit order, so that none ever appears below one that was read. Changes of deliveries that were removed, or
    /// that are tried again, are gone.
    ///
    /// - Parameters:
    ///   - query: The filter; its cursor is ignored, and its limit counts the returned changes.
    ///   - position: The change after which to begin; 0 begins at the oldest stored one.
    /// - Returns: The changes, oldest first, and the position reached: at most about 1,000 changes are read per call.
    /// - Throws: `StorageError`.
    func deliveryChanges(_ query: DeliveryQuery, after position: Int64) async throws(StorageError) -> DeliveryChanges

    /// Returns the position of the newest change of a brand's finished deliveries.
    ///
    /// - Parameter brand: The brand.
    /// - Returns: 0 when there is none.
    /// - Throws: `StorageError`.
    func lastDeliveryChange(brand: BrandID) async throws(StorageError) -> Int64

    /// Returns counts of the deliveries that were queued in a window that ends now, by their present state.
    ///
    /// The work is bounded, whatever the delivery log holds.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - window: The window.
    ///   - now: The end of the window.
    /// - Returns: The counts; all 0 for an unknown brand.
    /// - Throws: `StorageError`.
    func deliveryStats(
        brand: BrandID,
        window: StatsWindow,
        now: Timestamp
    ) async throws(StorageError) -> DeliveryStats

    /// Returns the statistics of a campaign.
    ///
    /// The work is bounded, whatever the delivery log holds.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - id: The campaign.
    /// - Returns: Nil when the brand has no message of it, or its last one is past its retention.
    /// - Throws: `StorageError`.
    func campaign(brand: BrandID, id: CampaignID) async throws(StorageError) -> CampaignStats?

    /// Returns the statistics of a brand's campaigns, those with the newest first message first.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - before: Only campaigns after this one, by ``CampaignStats/number``; nil begins with the newest.
    ///   - limit: At most this many.
    /// - Returns: An empty list for an unknown brand.
    /// - Throws: `StorageError`.
    func campaigns(brand: BrandID, before: Int64?, limit: Int) async throws(StorageError) -> [CampaignStats]
}
