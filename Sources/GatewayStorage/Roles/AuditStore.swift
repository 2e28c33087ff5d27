/// The part of a ``GatewayStore`` with the audit trail.
package protocol AuditStore: Sendable {
    /// Writes an audit entry in a transaction of its own; one of a deleted brand is not written.
    func appendAudit(_ entry: AuditEntry) async throws(StorageError)

    /// Returns a part of the audit trail, newest first; fewer entries than the query's limit when there are no more.
    func audit(_ query: AuditQuery) async throws(StorageError) -> [AuditRecord]
}
