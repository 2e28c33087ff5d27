package import GatewayStorage

/// A new session with its token, which is shown only once.
package struct MintedSession: Sendable {
    /// The bearer token: secret.
    package var token: String
    /// The lifetime from now, in seconds (`expiresIn`).
    package var expiresInSeconds: Int64
    /// The session as stored.
    package var session: StoredSession
    /// Whether its consumer has no identifier of the brand.
    package var anonymous: Bool
    /// Whether an anonymous consumer was merged into its consumer.
    package var merged: Bool
}
