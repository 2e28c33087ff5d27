package import GatewayModel

/// A request for an action on a lane's stopped devices, those that were stopped first come first.
package struct StoppedDeviceRequest: Sendable, Equatable {
    /// The lane.
    package var lane: LaneID
    /// They were stopped at this time or before.
    package var stoppedBy: Timestamp
    /// At most this many.
    package var limit: Int

    /// Creates a request.
    package init(lane: LaneID, stoppedBy: Timestamp, limit: Int) {
        self.lane = lane
        self.stoppedBy = stoppedBy
        self.limit = limit
    }
}

/// The result of an action on stopped devices.
package struct StoppedDeviceResult: Sendable, Equatable {
    /// The registrations that were changed; fewer than the limit when there are no more.
    package var registrations: [RegistrationID]
    /// The time at which the first of the lane's still stopped devices was stopped; nil when none is stopped.
    package var oldest: Timestamp?

    /// Creates a result.
    package init(registrations: [RegistrationID] = [], oldest: Timestamp? = nil) {
        self.registrations = registrations
        self.oldest = oldest
    }
}
