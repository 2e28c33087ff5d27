internal import GatewayModel
internal import GatewayStorage
internal import Identity

/// An authenticated caller.
enum Caller: Sendable {
    /// The holder of the instance's admin token.
    case admin
    /// A back-end, of its own brand only.
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

    /// The caller's id, for the request log; for a session the consumer's id, because its token is secret.
    var id: String {
        switch self {
        case .admin: "admin"
        case .account(let account): account.id
        case .session(let session): session.consumer.rawValue
        }
    }
}
