package import Identity

/// The reason why an operator was not signed in by the identity provider.
package enum OperatorLoginError: Error, Sendable, Equatable {
    /// The sign-in was not begun in this browser, took too long, or has come back already.
    case unknown
    /// The provider did not sign the person in.
    case denied
    /// The provider's response, code or token is not accepted.
    case rejected(AuthenticationError)
    /// The person has no role here.
    case noRole
    /// The account or the session could not be stored.
    case account(OperatorError)
    /// The provider does not respond as it should; the text contains nothing of its response.
    case unavailable(String)
    /// Too many sign-ins wait for the provider.
    case overloaded
}
