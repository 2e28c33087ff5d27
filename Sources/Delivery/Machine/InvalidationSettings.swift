/// When a lane stops to believe its provider that devices are gone.
package struct InvalidationSettings: Sendable, Equatable {
    /// A device that its provider calls gone ends after so many seconds; within as many too many of them suspend their lane.
    ///
    /// Long enough for an operator's or a provider's mistake to show, short enough for back-ends that count devices.
    package var waitSeconds: Int64 = 300
    /// So many devices may be called gone within that time, however few the lane has.
    package var leastDevices = 50
    /// So many out of a hundred of the lane's devices may be called gone within that time.
    package var percent = 5
    /// Devices that one commit ends or puts back, for all lanes together: a few milliseconds of the writer.
    package var devicesPerTurn = 100

    /// The defaults.
    package init() {}

    /// How many devices of a lane may be called gone within ``waitSeconds``.
    ///
    /// - Parameter devices: How many the lane has.
    /// - Returns: At least ``leastDevices``.
    package func most(of devices: Int) -> Int { max(leastDevices, devices * percent / 100) }
}
