internal import GatewayModel
internal import GatewayStorage
internal import Identity

/// Who calls, once a credential has been checked.
enum Caller: Sendable {
    /// The holder of the instance's admin token.
    case admin
    /// A back-end, of its brand only.
    case account(ServiceAccountIdentity)
    /// A device with a consumer's session.
    case session(StoredSession)

    /// The kind of caller, for the request log.
    var kind: String {
        switch self {
        case .admin: "admin"
        case .account: "serviceAccount"
        case .session: "session"
        }
    }

    /// The caller's id, for the request log; of a session the consumer's, since its token is secret.
    var id: String {
        switch self {
        case .admin: "admin"
        case .account(let account): account.id
        case .session(let session): session.consumer.rawValue
        }
    }
}
