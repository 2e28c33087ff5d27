internal import GatewayModel
internal import GatewayStorage
internal import Hummingbird
internal import HummingbirdCore
internal import Identity

extension Call {
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
