package import GatewayModel

/// Devices of one lane that a turn stopped, because a provider reported their tokens as dead.
package struct StoppedDevices: Sendable, Equatable {
    /// The registrations, in the order of their outcomes.
    package var registrations: [RegistrationID]
    /// Those among them that were imported and to which no push was ever accepted.
    package var imported: Set<RegistrationID>
    /// The number of the lane's registrations, stopped ones included.
    package var devices: Int

    /// Creates the stopped devices of a turn.
    package init(registrations: [RegistrationID], imported: Set<RegistrationID> = [], devices: Int) {
        self.registrations = registrations
        self.imported = imported
        self.devices = devices
    }
}

/// Stopped devices of a lane that a start found.
package struct StoppedAtStart: Sendable, Equatable {
    /// The number of devices that were stopped in each second, the earliest first.
    package var counts: [StoppedCount]
    /// The number of the lane's registrations, stopped ones included.
    package var devices: Int
    /// Whether the lane was suspended: ``WriterTurn/suspensions``.
    package var isSuspended: Bool

    /// Creates the stopped devices of a start.
    package init(counts: [StoppedCount] = [], devices: Int, isSuspended: Bool = false) {
        self.counts = counts
        self.devices = devices
        self.isSuspended = isSuspended
    }
}

/// The number of devices that were stopped in one second.
package struct StoppedCount: Sendable, Equatable {
    /// The beginning of the second.
    package var at: Timestamp
    /// The number, at least 1.
    package var count: Int
    /// The number of those among them that were imported and to which no push was ever accepted.
    package var imported: Int

    /// Creates a count.
    package init(at: Timestamp, count: Int, imported: Int = 0) {
        self.at = at
        self.count = count
        self.imported = imported
    }
}
