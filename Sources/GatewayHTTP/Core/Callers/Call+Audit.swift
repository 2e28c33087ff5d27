internal import GatewayModel
internal import GatewayStorage
internal import Hummingbird
internal import HummingbirdCore
internal import Identity

extension Call {
    /// Records an operation that changes nothing in the store, such as a self-check; the caller is authorized already.
    func audit(_ action: AuditAction, brand: BrandID, target: String) async throws(Problem) {
        let origin = try origin()
        try await administer { directory throws(DirectoryError) in
            try await directory.audit(action, brand: brand, target: target, by: origin)
        }
    }

    /// Creates the audit entry of a change, to be written with it; the caller is authorized already.
    func auditEntry(
        _ action: AuditAction,
        brand: BrandID?,
        target: String,
        changes: [String] = []
    ) throws(Problem) -> AuditEntry {
        services.directory.entry(action, brand: brand, target: target, changes: changes, by: try origin())
    }

    /// The caller, for the audit trail; only for routes that have authorized it.
    func origin() throws(Problem) -> AuditOrigin {
        switch context.notes.caller {
        case .admin: AuditOrigin(actor: .admin, requestID: requestID)
        case .account(let account):
            AuditOrigin(actor: AuditActor(kind: .serviceAccount, id: account.id), requestID: requestID)
        case .operator(let identity):
            AuditOrigin(actor: AuditActor(kind: .operator, id: identity.name.rawValue), requestID: requestID)
        case .session, nil: throw .forbidden
        }
    }
}
