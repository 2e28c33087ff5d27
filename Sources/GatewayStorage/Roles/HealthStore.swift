package import GatewayModel

/// The part of a ``GatewayStore`` that checks its health.
package protocol HealthStore: Sendable {
    /// Reads a small value, to check that the store responds.
    func probe() async throws(StorageError)

    /// Writes a small value and syncs it, to check that the store accepts writes again after an error.
    func probeWriting() async throws(StorageError)

    /// Returns the number of pushes that are not finished, and when the oldest of them was queued; nil when there is none.
    ///
    /// Those that wait for an open messaging window do not count. Reads all of them: not for a gateway that runs.
    func unfinishedPushes() async throws(StorageError) -> (count: Int, oldest: Timestamp?)

    /// Registers a listener for calls of any caller that find damaged data.
    ///
    /// It is called with the error before the call throws it, on a thread of the engine: it must not block and must not
    /// call the store.
    func onDamage(_ listener: @escaping @Sendable (StorageError) -> Void)
}
