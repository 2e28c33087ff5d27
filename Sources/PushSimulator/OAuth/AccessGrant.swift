/// What an access token stands for.
package struct AccessGrant: Sendable, Equatable {
    /// The service account's address.
    package var clientEmail: String
    /// The project the account belongs to.
    package var projectID: String
    /// The scopes asked for.
    package var scopes: Set<String>
    /// From then on the token is not taken any more.
    package var expires: SimulatorTime

    /// Takes a grant.
    ///
    /// - Parameters:
    ///   - clientEmail: The service account's address.
    ///   - projectID: The project the account belongs to.
    ///   - scopes: The scopes asked for.
    ///   - expires: From then on the token is not taken any more.
    package init(clientEmail: String, projectID: String, scopes: Set<String>, expires: SimulatorTime) {
        self.clientEmail = clientEmail
        self.projectID = projectID
        self.scopes = scopes
        self.expires = expires
    }
}
