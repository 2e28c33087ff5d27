package import GatewayModel
package import PushProviders

/// The state of a lane as operators see it.
package struct LaneStatus: Sendable, Equatable {
    /// The reason why pushes leave, or why they do not; the most serious one of several.
    package enum State: String, Sendable, CaseIterable {
        /// Nothing waits in memory, and pushes may leave.
        case idle
        /// Pushes leave.
        case sending
        /// The provider's quota is used up.
        case quota
        /// The provider is overloaded.
        case overloaded
        /// The provider, or the outbound proxy, does not connect.
        case unreachable
        /// The provider rejects the credential, the configuration, or many tokens in a row.
        case stopped
        /// The provider reports too many devices as gone.
        case suspended
        /// The app has no credential for it.
        case closed
        /// An operator has paused it.
        case paused
    }

    /// The state.
    package var state = State.idle
    /// When a push may leave next; nil when one may leave now, or when that is not known.
    package var nextTryAt: Timestamp?
    /// The provider's response, if one is the reason of the state.
    package var cause: LaneCause?
    /// The category of the connection error, while the provider is not reached.
    package var fault: PushProviderFault?
    /// The rows in memory, by class; those in flight are included.
    package var rows = RowCounts()
    /// The pushes in flight.
    package var inFlight = 0
    /// When the first of the pushes that leave next was queued; nil when there are none in memory.
    package var oldestQueuedAt: Timestamp?
    /// Platforms whose devices wait, because the provider's own credential for them is rejected, and until when.
    package var stoppedPlatforms: [DevicePlatform: Timestamp] = [:]

    /// Creates the state of a lane that never had a row.
    package init() {}
}

/// The response of a provider that stopped or slowed a lane.
package struct LaneCause: Sendable, Equatable {
    /// The HTTP status; 0 when there was no response.
    package var status: Int
    /// The provider's reason.
    package var reason: String?

    /// Creates the cause from a response.
    package init(_ response: PushResponse) {
        status = response.status
        reason = response.reason
    }
}
