package import GatewayStorage

/// The proofs that a login sends with its identity; without them it takes nothing over.
package struct LoginProofs: Sendable {
    /// The token of the anonymous session whose consumer logs in, a secret; an invalid one is ignored.
    package var anonymousToken: String?
    /// The current push token of the login's device.
    package var currentToken: PushTokenProof?

    /// Creates proofs.
    package init(anonymousToken: String? = nil, currentToken: PushTokenProof? = nil) {
        self.anonymousToken = anonymousToken
        self.currentToken = currentToken
    }
}
