package import GatewayModel

/// The part of a ``GatewayStore`` that starts incarnations and runs the writer's turns.
package protocol TurnStore: Sendable {
    /// Starts an incarnation: requeues every row that earlier incarnations of a dead process owned, held ones too.
    ///
    /// Such rows are due now or earlier; a store without a clock takes `now`. Other rows keep only two waits: the one
    /// that a provider asked for their device, and the end of quiet hours that still hold. Quiet hours that have
    /// changed since and a clock that was set back delay nothing. A wait of more than
    /// ``IncarnationStart/longestWaitMilliseconds`` was written by a wrong clock, and is over. Then, within a
    /// registration, no row is due before one with a lower id.
    ///
    /// A device is not written when all its rows wait for the end of quiet hours that still hold.
    func begin(now: Timestamp, quietUntil: @escaping QuietUntil) async throws(StorageError) -> IncarnationStart

    /// Runs one turn of the writer in one transaction: outcomes, releases, changes, accepts, then claims, in this
    /// order; returns a result for each part in the order of the turn.
    ///
    /// All or nothing: when it throws, nothing of the turn is stored, and the caller may retry its parts one by one.
    ///
    /// In a task that prefers an executor it may block that one's thread until the turn is synced.
    ///
    /// - Throws: `StorageError`; `locked` when a later incarnation has started.
    func commit(_ turn: WriterTurn) async throws(StorageError) -> WriterTurnResult
}

extension TurnStore {
    /// Starts an incarnation without quiet hours.
    package func begin(now: Timestamp) async throws(StorageError) -> IncarnationStart {
        try await begin(now: now) { _, _ in nil }
    }
}
