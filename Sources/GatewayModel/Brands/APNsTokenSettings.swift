/// The key that signs an app's provider tokens (ProviderFacts page, A5).
package struct APNsTokenSettings: Codable, Equatable, Sendable {
    /// A second key for the sandbox, for a main key that is scoped to production.
    package struct SandboxKey: Codable, Equatable, Sendable {
        /// The 10-character key id.
        package var keyId: String
        /// The `.p8` file, PKCS#8 PEM of an EC P-256 key: secret.
        package var privateKey: String

        /// Creates a key.
        package init(keyId: String, privateKey: String) {
            self.keyId = keyId
            self.privateKey = privateKey
        }
    }

    /// The 10-character team id.
    package var teamId: String
    /// The 10-character key id.
    package var keyId: String
    /// The `.p8` file, PKCS#8 PEM of an EC P-256 key: secret.
    package var privateKey: String
    /// A second key for the sandbox.
    package var sandboxKey: SandboxKey?

    /// Creates a team's key.
    package init(teamId: String, keyId: String, privateKey: String, sandboxKey: SandboxKey? = nil) {
        self.teamId = teamId
        self.keyId = keyId
        self.privateKey = privateKey
        self.sandboxKey = sandboxKey
    }
}
