package import GatewayModel

/// A change of a lane's state that operators should know about.
package enum LaneAlert: Sendable, Equatable {
    /// The provider rejects the credential or the configuration: nothing leaves before this time.
    case stopped(until: Timestamp, status: Int, reason: String?)
    /// The provider accepts the credential again.
    case recovered
    /// The provider's own credential for devices of this platform is rejected: none of the lane's pushes to them leave
    /// before this time; others do.
    case platformStopped(DevicePlatform, until: Timestamp, status: Int, reason: String?)
    /// The provider reaches devices of the platform again.
    case platformRecovered(DevicePlatform)
    /// The provider quarantined this many devices' tokens and accepted none in between: the app's environment or topic
    /// is more likely wrong than each token.
    case tokensRefused(count: Int, reason: String?)
    /// The provider reported this many devices as gone within minutes, of all that the lane has: the lane is suspended,
    /// and the devices' registrations are kept.
    case suspended(gone: Int, of: Int)
    /// A push was accepted while the lane was suspended: it sends again, and the devices are put back.
    case resumed
}
