internal import GatewayStorage
internal import Identity

extension Call {
    /// Who asks, for the audit trail; to be asked by routes that have let the caller pass.
    func origin() throws(Problem) -> AuditOrigin {
        switch context.notes.caller {
        case .admin: return AuditOrigin(actor: .admin, requestID: requestID)
        case .account(let account):
            return AuditOrigin(actor: AuditActor(kind: .serviceAccount, id: account.id), requestID: requestID)
        case .session, nil: throw .forbidden
        }
    }
}
