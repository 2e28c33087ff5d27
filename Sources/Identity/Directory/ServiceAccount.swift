internal import GatewayModel

/// A service account as it is held in memory.
struct ServiceAccount: Sendable {
    var identity: ServiceAccountIdentity
    /// SHA-256 of the secret.
    var secretHash: [UInt8]
    var expiresAt: Timestamp?
}
