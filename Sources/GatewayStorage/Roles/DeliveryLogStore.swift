package import GatewayModel

/// The part of a ``GatewayStore`` that reads deliveries and statistics; turns write them.
package protocol DeliveryLogStore: Sendable {
    /// Returns deliveries by filter, newest first, from the outbox and the delivery log.
    ///
    /// The work for a page is bounded, whatever the delivery log holds of this brand or others. With one filter, or
    /// with one and a time range, a page of finished deliveries is full unless it is the last. With several filters,
    /// and where the outbox holds many rows, a page may be shorter than the limit, even empty, with another after it. A
    /// delivery that finishes between two pages keeps its place. A cursor stays valid when its delivery is removed.
    func deliveries(_ query: DeliveryQuery) async throws(StorageError) -> DeliveryPage

    /// Returns one delivery with all its attempts, oldest first; nil when the brand has no such delivery.
    func delivery(brand: BrandID, id: DeliveryID) async throws(StorageError) -> DeliveryDetail?

    /// Returns changes of finished deliveries in the order in which they happened, for readers that follow them.
    ///
    /// Each delivery appears once, at its newest change: one that changes again moves to the end. Changes are numbered
    /// in commit order, so that none ever appears below one that was read. Changes of deliveries that were removed, or
    /// that are tried again, are gone. Position 0 begins at the oldest stored change. The query's cursor is ignored,
    /// and its limit counts the returned changes.
    ///
    /// - Returns: The changes, oldest first, and the position reached: at most about 1,000 changes are read per call.
    func deliveryChanges(_ query: DeliveryQuery, after position: Int64) async throws(StorageError) -> DeliveryChanges

    /// Returns the position of the newest change of a brand's finished deliveries; 0 when there is none.
    func lastDeliveryChange(brand: BrandID) async throws(StorageError) -> Int64

    /// Returns the results that retries would have now, one after the other; nothing is stored.
    ///
    /// - Parameters:
    ///   - requests: The requests, at most about a hundred: the writer is held for as long as it would make them.
    ///   - now: The time of the retries.
    /// - Returns: The results (``StoreChange/retry(_:)``) in order, at least the first; fewer than requests when those
    ///   would hold the writer for long.
    /// - Throws: `StorageError`.
    func rehearse(_ requests: [RetryRequest], now: Timestamp) async throws(StorageError) -> [StoreChangeResult]

    /// Returns counts of the deliveries that were queued in a window that ends now, by their present state; all 0 for
    /// an unknown brand.
    ///
    /// The work is bounded, whatever the delivery log holds.
    func deliveryStats(
        brand: BrandID,
        window: StatsWindow,
        now: Timestamp
    ) async throws(StorageError) -> DeliveryStats

    /// Returns the depth of each lane, in the order of the lanes.
    ///
    /// Not included are rows that are held for windows, and the further rows of a device that has its share in memory.
    /// The work for a lane is bounded.
    func laneDepths(_ lanes: [LaneID]) async throws(StorageError) -> [LaneDepth]

    /// Returns the statistics of a campaign; nil when the brand has no message of it, or its last one is past its
    /// retention.
    ///
    /// The work is bounded, whatever the delivery log holds.
    func campaign(brand: BrandID, id: CampaignID) async throws(StorageError) -> CampaignStats?

    /// Returns the statistics of a brand's campaigns after `before`, by ``CampaignStats/number``, those with the newest
    /// first message first; empty for an unknown brand.
    func campaigns(brand: BrandID, before: Int64?, limit: Int) async throws(StorageError) -> [CampaignStats]
}
