/// Why a payload was not signed.
package enum SigningRefusal: Error, Sendable, Equatable {
    /// The brand, or the app that was named, has no SDK key that is in force.
    case noKey
    /// The payload cannot be kept as it is; nil is the payload as a whole.
    case payload(member: String?, detail: String)
    /// The token would be refused for what it says of the consumer.
    case claim(AuthenticationError)
}
