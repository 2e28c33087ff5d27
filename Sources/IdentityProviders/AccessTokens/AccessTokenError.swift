/// The reason why there is no access token.
package enum AccessTokenError: Error, Sendable, Equatable {
    /// The brand denied it, with its reason (R169, R203).
    case denied(reason: String)
    /// The decider or the token service did not respond as specified: no denial (R171).
    case unavailable
    /// Too many requests are running.
    case overloaded
}
