/// What FCM knows: access tokens and devices.
package struct FCMDirectory: Sendable {
    /// By access token.
    package var grants: [String: AccessGrant]
    /// By registration token.
    ///
    /// A token that is not here belongs to an unknown device, which takes any message.
    package var devices: [String: SimulatedDevice]

    /// Takes what is known.
    ///
    /// - Parameters:
    ///   - grants: By access token.
    ///   - devices: By registration token.
    package init(grants: [String: AccessGrant] = [:], devices: [String: SimulatedDevice] = [:]) {
        self.grants = grants
        self.devices = devices
    }
}
