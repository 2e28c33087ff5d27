package import Cryptography

/// A team's key as it is registered with Apple.
package struct APNsTeamKey: Sendable {
    /// The key id, ten characters.
    package var keyID: String
    /// The team id, ten characters.
    package var teamID: String
    /// The public key that verifies provider tokens.
    package var publicKey: P256.PublicKey
    /// The bundle ids that the key may send for; empty for any.
    package var topics: Set<String>
    /// Whether the key belongs to another environment than the simulated one.
    package var isOfOtherEnvironment: Bool

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - keyID: The key id, ten characters.
    ///   - teamID: The team id, ten characters.
    ///   - publicKey: The public key that verifies provider tokens.
    ///   - topics: The bundle ids that the key may send for; empty for any.
    ///   - isOfOtherEnvironment: Whether the key belongs to another environment than the simulated one.
    package init(
        keyID: String,
        teamID: String,
        publicKey: P256.PublicKey,
        topics: Set<String> = [],
        isOfOtherEnvironment: Bool = false
    ) {
        self.keyID = keyID
        self.teamID = teamID
        self.publicKey = publicKey
        self.topics = topics
        self.isOfOtherEnvironment = isOfOtherEnvironment
    }
}
