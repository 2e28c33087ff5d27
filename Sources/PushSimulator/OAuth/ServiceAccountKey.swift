package import Cryptography

/// A service account's key as it is registered with Google.
package struct ServiceAccountKey: Sendable {
    /// The account's address.
    package var clientEmail: String
    /// The key's id.
    package var keyID: String
    /// The account's project.
    package var projectID: String
    /// The public key that verifies assertions.
    package var publicKey: RSA.PublicKey

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - clientEmail: The account's address.
    ///   - keyID: The key's id.
    ///   - projectID: The account's project.
    ///   - publicKey: The public key that verifies assertions.
    package init(clientEmail: String, keyID: String, projectID: String, publicKey: RSA.PublicKey) {
        self.clientEmail = clientEmail
        self.keyID = keyID
        self.projectID = projectID
        self.publicKey = publicKey
    }
}
