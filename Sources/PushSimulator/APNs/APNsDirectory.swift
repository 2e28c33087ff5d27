/// What APNs knows: the keys of teams and the devices.
package struct APNsDirectory: Sendable {
    /// By key id.
    ///
    /// Empty: any well-formed provider token is taken, whoever signed it.
    package var keys: [String: APNsTeamKey]
    /// By token in lower case.
    ///
    /// A token that is not here belongs to an unknown device, which takes any push.
    package var devices: [String: SimulatedDevice]
    /// Whether the sandbox is simulated, not production; certificates are for one, the other or both.
    package var isSandbox: Bool

    /// Takes what is known.
    ///
    /// - Parameters:
    ///   - keys: The keys of teams.
    ///   - devices: By token in lower case.
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
