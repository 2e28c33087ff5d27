/// The grant of an access token.
package struct AccessGrant: Sendable, Equatable {
    /// The service account's address.
    package var clientEmail: String
    /// The project the account belongs to.
    package var projectID: String
    /// The requested scopes.
    package var scopes: Set<String>
    /// The time of expiry.
    package var expires: SimulatorTime

    /// Creates a grant.
    ///
    /// - Parameters:
    ///   - clientEmail: The service account's address.
    ///   - projectID: The project the account belongs to.
    ///   - scopes: The requested scopes.
    ///   - expires: The time of expiry.
    package init(clientEmail: String, projectID: String, scopes: Set<String>, expires: SimulatorTime) {
        self.clientEmail = clientEmail
        self.projectID = projectID
        self.scopes = scopes
        self.expires = expires
    }
}
