package import GatewayModel
package import GatewayStorage

extension Directory {
    /// Writes down an administrative act that changes nothing that is stored, such as an app's self-check.
    ///
    /// The directory's own changes are written down by themselves, in their own transactions.
    ///
    /// - Parameters:
    ///   - action: What was done.
    ///   - brand: The brand that it was about; nothing is written when it is gone.
    ///   - target: To what.
    ///   - changes: The names of members that changed; never their values.
    ///   - origin: Who asked.
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

    /// What the trail says of an act that happens now, to be written in the act's own transaction.
    ///
    /// - Parameters:
    ///   - action: What is done.
    ///   - brand: The brand that it is about; nil for the whole instance.
    ///   - target: To what.
    ///   - changes: The names of members that change; never their values.
    ///   - origin: Who asks.
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
