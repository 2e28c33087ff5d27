package import GatewayStorage

/// Who makes sessions durable: the writer of `Delivery`, so that sessions and registrations change in one order.
package protocol SessionWriter: Sendable {
    /// Does one change in the writer's next turn.
    ///
    /// - Parameter change: The change.
    /// - Returns: What it did, once it is on disk.
    /// - Throws: ``SessionWriteFailure``.
    func perform(_ change: StoreChange) async throws(SessionWriteFailure) -> StoreChangeResult
}

/// Why a session's change has no answer.
package struct SessionWriteFailure: Error, Sendable {
    /// What went wrong.
    package var error: StorageError
    /// Whether it may be done nevertheless, because the store did not say; false when it was never given to the store.
    package var mayBeDone: Bool

    /// Takes a failure.
    ///
    /// - Parameters:
    ///   - error: What went wrong.
    ///   - mayBeDone: Whether it may be done nevertheless.
    package init(_ error: StorageError, mayBeDone: Bool) {
        self.error = error
        self.mayBeDone = mayBeDone
    }
}
