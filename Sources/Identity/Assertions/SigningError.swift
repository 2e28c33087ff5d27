/// The reason why a payload was not signed.
package enum SigningError: Error, Sendable, Equatable {
    /// The brand, or the app in the request, has no active SDK key.
    case noKey
    /// The payload is invalid; nil stands for the payload as a whole.
    case payload(member: String?, detail: String)
    /// The verifier would reject the token for a claim about the consumer.
    case claim(AuthenticationError)
}
