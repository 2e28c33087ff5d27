/// The part of a ``GatewayStore`` with the audit trail.
package protocol AuditStore: Sendable {
    /// Writes an audit entry in a transaction of its own.
    ///
    /// - Parameter entry: The entry; one of a deleted brand is not written.
    /// - Throws: `StorageError`.
    func appendAudit(_ entry: AuditEntry) async throws(StorageError)

    /// Returns a part of the audit trail, newest first.
    ///
    /// - Parameter query: The part to return.
    /// - Returns: The entries; fewer than the query's limit when there are no more.
    /// - Throws: `StorageError`.
    func audit(_ query: AuditQuery) async throws(StorageError) -> [AuditRecord]
}
