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
}
