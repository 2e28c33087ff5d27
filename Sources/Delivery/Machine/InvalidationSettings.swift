/// The limits beyond which a lane no longer believes its provider that devices are gone.
package struct InvalidationSettings: Sendable, Equatable {
    /// The seconds after which a device that is reported as gone ends; too many within this time suspend their lane.
    ///
    /// Long enough for an operator's or a provider's mistake to show, short enough for back-ends that count devices.
    package var waitSeconds: Int64 = 300
    /// The number of devices that may be reported as gone within that time, however few the lane has.
    package var leastDevices = 50
    /// The percentage of the lane's devices that may be reported as gone within that time.
    package var percent = 5
    /// The number of devices that one commit ends or puts back, for all lanes together: a few milliseconds of the
    /// writer.
    package var devicesPerTurn = 100

    /// Creates the defaults.
    package init() {}

    /// Returns the number of a lane's devices that may be reported as gone within ``waitSeconds``; at least
    /// ``leastDevices``.
    package func most(of devices: Int) -> Int { max(leastDevices, devices * percent / 100) }
}
