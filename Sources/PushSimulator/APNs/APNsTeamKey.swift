package import Crypto

/// A team's key as Apple knows it.
package struct APNsTeamKey: Sendable {
    /// Ten characters.
    package var keyID: String
    /// Ten characters.
    package var teamID: String
    /// Verifies the provider tokens.
    package var publicKey: P256.Signing.PublicKey
    /// The bundle ids that the key may send for; empty for any.
    package var topics: Set<String>
    /// Whether the key belongs to the other environment than the one that is simulated.
    package var isOfOtherEnvironment: Bool

    /// Takes a key.
    ///
    /// - Parameters:
    ///   - keyID: Ten characters.
    ///   - teamID: Ten characters.
    ///   - publicKey: Verifies the provider tokens.
    ///   - topics: The bundle ids that the key may send for; empty for any.
    ///   - isOfOtherEnvironment: Whether the key belongs to the other environment.
    package init(
        keyID: String,
        teamID: String,
        publicKey: P256.Signing.PublicKey,
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
