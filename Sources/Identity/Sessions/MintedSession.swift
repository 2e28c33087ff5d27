package import GatewayStorage

/// A new session with its token, which is shown this once.
package struct MintedSession: Sendable {
    /// The bearer token: secret.
    package var token: String
    /// How long it lives from now, in seconds (`expiresIn`).
    package var expiresInSeconds: Int64
    /// What is stored of it.
    package var session: StoredSession
    /// Whether its consumer has no identifier of the brand's.
    package var anonymous: Bool
    /// Whether an anonymous consumer was merged into its consumer.
    package var merged: Bool
}
