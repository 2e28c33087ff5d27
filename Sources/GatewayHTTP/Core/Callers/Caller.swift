internal import GatewayModel
internal import GatewayStorage
internal import Identity

/// An authenticated caller.
enum Caller: Sendable {
    /// The holder of the instance's admin token.
    case admin
    /// A back-end, of its own brand only.
    case account(ServiceAccountIdentity)
    /// An operator who is signed in.
    case `operator`(OperatorIdentity)
    /// A device with a consumer's session.
    case session(StoredSession)

    /// Whether the caller may do whatever the holder of the admin token may.
    var isInstanceAdmin: Bool {
        switch self {
        case .admin: true
        case .operator(let identity): identity.isInstanceAdmin
        case .account, .session: false
        }
    }

    /// The kind of caller, for the request log.
    var kind: String {
        switch self {
        case .admin: "admin"
        case .account: "serviceAccount"
        case .operator: "operator"
        case .session: "session"
        }
    }

    /// The caller's id, for the request log; for a session the consumer's id, because its token is secret.
    var id: String {
        switch self {
        case .admin: "admin"
        case .account(let account): account.id
        case .operator(let identity): identity.name.rawValue
        case .session(let session): session.consumer.rawValue
        }
    }
}
