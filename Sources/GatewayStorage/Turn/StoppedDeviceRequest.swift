package import GatewayModel

/// Stopped devices of a lane with which something is to be done, those first that were stopped first.
package struct StoppedDeviceRequest: Sendable, Equatable {
    /// The lane.
    package var lane: LaneID
    /// They were stopped at this time or before.
    package var stoppedBy: Timestamp
    /// At most this many.
    package var limit: Int

    /// Takes a request.
    ///
    /// - Parameters:
    ///   - lane: The lane.
    ///   - stoppedBy: They were stopped at this time or before.
    ///   - limit: At most this many.
    package init(lane: LaneID, stoppedBy: Timestamp, limit: Int) {
        self.lane = lane
        self.stoppedBy = stoppedBy
        self.limit = limit
    }
}

/// What became of stopped devices.
package struct StoppedDeviceResult: Sendable, Equatable {
    /// The registrations with which it was done; fewer than the limit when there are no more.
    package var registrations: [RegistrationID]
    /// When the first of the lane's devices was stopped that still are; nil when none is.
    package var oldest: Timestamp?

    /// Takes what was done.
    ///
    /// - Parameters:
    ///   - registrations: The registrations with which it was done.
    ///   - oldest: When the first of those was stopped that still are.
    package init(registrations: [RegistrationID] = [], oldest: Timestamp? = nil) {
        self.registrations = registrations
        self.oldest = oldest
    }
}
