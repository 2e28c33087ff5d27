package import GatewayStorage

/// Who makes sessions durable: the writer of `Delivery`, so that sessions and registrations change in one order.
package protocol SessionWriter: Sendable {
    /// Does one change in the writer's next turn.
    ///
    /// - Parameter change: The change.
    /// - Returns: What it did, once it is on disk.
    /// - Throws: `StorageError`: it may be done nevertheless, and who listens to the store's ends of sessions is told.
    func perform(_ change: StoreChange) async throws(StorageError) -> StoreChangeResult
}
