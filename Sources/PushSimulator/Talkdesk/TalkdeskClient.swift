package import Cryptography

/// A client of the simulated Talkdesk.
package struct TalkdeskClient: Sendable {
    /// The client's id.
    package var id: String
    /// `kid` of its assertions.
    package var keyID: String
    /// The public key that verifies them (ES256).
    package var publicKey: P256.PublicKey
    /// The key of the questions about its tokens; nil when there is no decider.
    package var decisionKey: [UInt8]?

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - id: The client's id.
    ///   - keyID: `kid` of its assertions.
    ///   - publicKey: The public key that verifies them.
    ///   - decisionKey: The key of the questions about its tokens.
    package init(id: String, keyID: String, publicKey: P256.PublicKey, decisionKey: [UInt8]? = nil) {
        self.id = id
        self.keyID = keyID
        self.publicKey = publicKey
        self.decisionKey = decisionKey
    }
}
