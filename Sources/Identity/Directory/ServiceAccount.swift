internal import GatewayModel

/// A service account in memory.
struct ServiceAccount: Sendable {
    var identity: ServiceAccountIdentity
    /// The SHA-256 of the secret.
    var secretHash: [UInt8]
    var expiresAt: Timestamp?
}
