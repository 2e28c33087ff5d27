internal import GatewayModel
internal import GatewayStorage
internal import Hummingbird
internal import HummingbirdCore
internal import Identity

extension Call {
    /// Who asks, for the audit trail; to be asked by routes that have let the caller pass.
    func origin() async throws(Problem) -> AuditOrigin {
        let brand = context.parameters["brand"] == nil ? nil : BrandID(try segment("brand"))
        switch try await caller(of: brand) {
        case .admin: return AuditOrigin(actor: .admin, requestID: requestID)
        case .account(let account):
            return AuditOrigin(actor: AuditActor(kind: .serviceAccount, id: account.id), requestID: requestID)
        case .session: throw .forbidden
        }
    }
}
