package import GatewayStorage

/// The writer that makes sessions durable: that of `Delivery`, so that sessions and registrations change in one order.
package protocol SessionWriter: Sendable {
    /// Applies a change in the writer's next transaction.
    ///
    /// - Returns: The result, once it is on disk.
    /// - Throws: `StorageError`: the change may have been committed nevertheless, and listeners are notified of ended
    ///   sessions.
    func perform(_ change: StoreChange) async throws(StorageError) -> StoreChangeResult
}
