package import GatewayStorage

/// What a login shows beside its identity; without them it takes over nothing.
package struct LoginProofs: Sendable {
    /// The token of the anonymous session whose consumer logs in, a secret; one that proves nothing is ignored.
    package var anonymousToken: String?
    /// The push token that the login's device has at present.
    package var currentToken: PushTokenProof?

    /// Takes what a login shows.
    ///
    /// - Parameters:
    ///   - anonymousToken: The token of the anonymous session whose consumer logs in.
    ///   - currentToken: The push token that the login's device has at present.
    package init(anonymousToken: String? = nil, currentToken: PushTokenProof? = nil) {
        self.anonymousToken = anonymousToken
        self.currentToken = currentToken
    }
}
