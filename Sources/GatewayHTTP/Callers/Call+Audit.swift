internal import GatewayModel
internal import GatewayStorage
internal import Hummingbird
internal import HummingbirdCore
internal import Identity

extension Call {
    /// Writes down an act that changes nothing that is stored, such as a self-check; the caller has passed by then.
    ///
    /// - Parameters:
    ///   - action: What was done.
    ///   - brand: The brand that it was about.
    ///   - target: To what.
    /// - Throws: `Problem` when it cannot be written.
    func audit(_ action: AuditAction, brand: BrandID, target: String) async throws(Problem) {
        let origin = try origin()
        try await administer { directory throws(DirectoryError) in
            try await directory.audit(action, brand: brand, target: target, by: origin)
        }
    }

    /// What the trail says of an act, to be written with it; the caller has passed by then.
    func auditEntry(
        _ action: AuditAction,
        brand: BrandID?,
        target: String,
        changes: [String] = []
    ) throws(Problem) -> AuditEntry {
        services.directory.entry(action, brand: brand, target: target, changes: changes, by: try origin())
    }

    /// Who asks, for the audit trail; to be asked by routes that have let the caller pass.
    func origin() throws(Problem) -> AuditOrigin {
        switch context.notes.caller {
        case .admin: AuditOrigin(actor: .admin, requestID: requestID)
        case .account(let account):
            AuditOrigin(actor: AuditActor(kind: .serviceAccount, id: account.id), requestID: requestID)
        case .session, nil: throw .forbidden
        }
    }
}
