package import GatewayModel

/// The part of a ``GatewayStore`` that reads the outbound feed; turns write it.
package protocol FeedStore: Sendable {
    /// Returns items of a brand's outbound feed in order; an empty page when there is no such brand.
    ///
    /// It never skips an item that an open transaction may still store.
    func outbound(_ query: OutboundQuery) async throws(StorageError) -> OutboundPage

    /// Registers a listener for new outbound items that can be read.
    ///
    /// It is called after the commit with the brand and the number of new items, on a thread of the engine: it must not
    /// block and must not call the store.
    func onOutbound(_ listener: @escaping @Sendable (BrandID, Int) -> Void)
}
