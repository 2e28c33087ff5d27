package import GatewayModel

/// What operators should learn of a lane.
package enum LaneAlert: Sendable, Equatable {
    /// The provider refuses the credential or the set-up: nothing leaves before this moment.
    case stopped(until: Timestamp, status: Int, reason: String?)
    /// The provider takes the credential again.
    case recovered
    /// The provider quarantined this many devices' tokens and accepted none in between: rather the app's environment or
    /// topic is wrong than each of them.
    case tokensRefused(count: Int, reason: String?)
}
