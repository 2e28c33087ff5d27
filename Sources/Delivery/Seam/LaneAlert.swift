package import GatewayModel

/// What operators should learn of a lane.
package enum LaneAlert: Sendable, Equatable {
    /// The provider refuses the credential or the set-up: nothing leaves before this moment.
    case stopped(until: Timestamp, status: Int, reason: String?)
    /// The provider takes the credential again.
    case recovered
    /// The provider's own credential for reaching devices of this platform is refused: none of the lane's leaves for them before this
    /// moment; others go on.
    case platformStopped(DevicePlatform, until: Timestamp, status: Int, reason: String?)
    /// The provider reaches devices of the platform again.
    case platformRecovered(DevicePlatform)
    /// The provider quarantined this many devices' tokens and accepted none in between: rather the app's environment or
    /// topic is wrong than each of them.
    case tokensRefused(count: Int, reason: String?)
    /// The provider called this many devices gone within minutes, of so many that the lane has: the lane is suspended, and the
    /// devices' registrations are kept.
    case suspended(gone: Int, of: Int)
    /// A push was accepted while the lane was suspended: it goes on, and the devices are put back.
    case resumed
}
