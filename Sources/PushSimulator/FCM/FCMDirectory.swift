/// The data of FCM: access tokens and devices.
package struct FCMDirectory: Sendable {
    /// The grants by access token.
    package var grants: [String: AccessGrant]
    /// The devices by registration token.
    ///
    /// A token that is not here belongs to an unknown device, which accepts any message.
    package var devices: [String: SimulatedDevice]

    /// Creates a directory.
    ///
    /// - Parameters:
    ///   - grants: The grants by access token.
    ///   - devices: The devices by registration token.
    package init(grants: [String: AccessGrant] = [:], devices: [String: SimulatedDevice] = [:]) {
        self.grants = grants
        self.devices = devices
    }
}
