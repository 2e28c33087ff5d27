/// The data of APNs: the keys of teams and the devices.
package struct APNsDirectory: Sendable {
    /// The keys by key id.
    ///
    /// If empty, any well-formed provider token is accepted, whoever signed it.
    package var keys: [String: APNsTeamKey]
    /// The devices by token in lower case.
    ///
    /// A token that is not here belongs to an unknown device, which accepts any push.
    package var devices: [String: SimulatedDevice]
    /// Whether the sandbox is simulated, not production; certificates are for one of them or both.
    package var isSandbox: Bool

    /// Creates a directory.
    ///
    /// - Parameters:
    ///   - keys: The keys of teams.
    ///   - devices: The devices by token in lower case.
    ///   - isSandbox: Whether the sandbox is simulated.
    package init(
        keys: [APNsTeamKey] = [],
        devices: [String: SimulatedDevice] = [:],
        isSandbox: Bool = false
    ) {
        self.keys = Dictionary(keys.map { ($0.keyID, $0) }) { _, last in last }
        self.devices = devices
        self.isSandbox = isSandbox
    }
}
