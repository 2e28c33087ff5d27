package import GatewayModel

/// The part of a ``GatewayStore`` that reads the outbound feed; turns write it.
package protocol FeedStore: Sendable {
    /// Returns items of a brand's outbound feed in order.
    ///
    /// It never skips an item that an open transaction may still store.
    ///
    /// - Parameter query: The items to return.
    /// - Returns: A page; an empty one when there is no such brand.
    /// - Throws: `StorageError`.
    func outbound(_ query: OutboundQuery) async throws(StorageError) -> OutboundPage

    /// Registers a listener for new outbound items that can be read.
    ///
    /// - Parameter listener: Called after the commit with the brand and the number of new items, on a thread of the
    ///   engine: must not block and must not call the store.
    func onOutbound(_ listener: @escaping @Sendable (BrandID, Int) -> Void)
}
