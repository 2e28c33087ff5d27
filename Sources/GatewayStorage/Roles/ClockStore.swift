package import GatewayModel

/// The part of a ``GatewayStore`` that keeps the gateway's time.
package protocol ClockStore: Sendable {
    /// Returns the times in the data, with which a start compares its clock.
    ///
    /// - Returns: The mark, and the times of the newest message, incarnation and audit entry.
    /// - Throws: `StorageError`.
    func storedTime() async throws(StorageError) -> StoredTime

    /// Stores the gateway's time for the next start.
    ///
    /// - Parameters:
    ///   - mark: The new mark, which replaces the stored one.
    ///   - audit: The audit entry, written in the same transaction; nil writes none.
    /// - Throws: `StorageError`.
    func keep(_ mark: ClockMark, audit: AuditEntry?) async throws(StorageError)
}
