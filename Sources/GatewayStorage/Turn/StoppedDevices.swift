package import GatewayModel

/// Devices of one lane that a turn stopped, because a provider called their tokens dead.
package struct StoppedDevices: Sendable, Equatable {
    /// The registrations, in the order of their outcomes.
    package var registrations: [RegistrationID]
    /// How many registrations the lane has, stopped ones among them.
    package var devices: Int

    /// Takes what a turn stopped.
    ///
    /// - Parameters:
    ///   - registrations: The registrations.
    ///   - devices: How many registrations the lane has.
    package init(registrations: [RegistrationID], devices: Int) {
        self.registrations = registrations
        self.devices = devices
    }
}

/// Stopped devices of a lane that a start found.
package struct StoppedAtStart: Sendable, Equatable {
    /// How many were stopped in each second, the earliest first.
    package var counts: [StoppedCount]
    /// How many registrations the lane has, stopped ones among them.
    package var devices: Int
    /// Whether the lane was suspended: ``WriterTurn/suspensions``.
    package var isSuspended: Bool

    /// Takes what a start found.
    ///
    /// - Parameters:
    ///   - counts: How many were stopped in each second.
    ///   - devices: How many registrations the lane has.
    ///   - isSuspended: Whether the lane was suspended.
    package init(counts: [StoppedCount] = [], devices: Int, isSuspended: Bool = false) {
        self.counts = counts
        self.devices = devices
        self.isSuspended = isSuspended
    }
}

/// How many devices were stopped in one second.
package struct StoppedCount: Sendable, Equatable {
    /// The second's beginning.
    package var at: Timestamp
    /// How many, at least 1.
    package var count: Int

    /// Takes a count.
    ///
    /// - Parameters:
    ///   - at: The second's beginning.
    ///   - count: How many.
    package init(at: Timestamp, count: Int) {
        self.at = at
        self.count = count
    }
}
