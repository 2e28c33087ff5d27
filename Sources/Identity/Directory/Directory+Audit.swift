package import GatewayModel
package import GatewayStorage

extension Directory {
    /// Writes an audit entry for an administrative action that changes no stored data, such as an app's self-check.
    ///
    /// The directory's own changes write theirs in their own transactions.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - brand: The brand that it concerns; nothing is written when it was deleted.
    ///   - target: The target of the action.
    ///   - changes: The names of the changed members; never their values.
    ///   - origin: The caller.
    /// - Throws: ``DirectoryError/storage(_:)``.
    package func audit(
        _ action: AuditAction,
        brand: BrandID,
        target: String,
        changes: [String] = [],
        by origin: AuditOrigin
    ) async throws(DirectoryError) {
        let entry = entry(action, brand: brand, target: target, changes: changes, by: origin)
        do { try await store.appendAudit(entry) } catch { throw .storage(error) }
    }

    /// Returns the audit entry for an action at this moment, to be written in the action's own transaction.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - brand: The brand that it concerns; nil for the whole instance.
    ///   - target: The target of the action.
    ///   - changes: The names of the changed members; never their values.
    ///   - origin: The caller.
    /// - Returns: The entry.
    package func entry(
        _ action: AuditAction,
        brand: BrandID?,
        target: String,
        changes: [String] = [],
        by origin: AuditOrigin
    ) -> AuditEntry {
        AuditEntry(
            brand: brand,
            at: clock.now,
            actor: origin.actor,
            action: action,
            target: target,
            changes: changes,
            requestID: origin.requestID
        )
    }
}
