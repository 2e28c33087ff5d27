package import GatewayModel

/// The part of a ``GatewayStore`` that keeps the gateway's time.
package protocol ClockStore: Sendable {
    /// Returns the times in the data, with which a start compares its clock: the mark, and the times of the newest
    /// message, incarnation and audit entry.
    func storedTime() async throws(StorageError) -> StoredTime

    /// Replaces the stored time for the next start; an audit entry is written in the same transaction.
    func keep(_ mark: ClockMark, audit: AuditEntry?) async throws(StorageError)
}
