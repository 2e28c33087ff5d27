/// A device that the simulator knows by its token.
package struct SimulatedDevice: Sendable, Hashable {
    /// The bundle id (APNs) or project id (FCM) that the token belongs to; nil for any.
    package var app: String?
    /// Since when the app is gone from the device; nil while it is there.
    package var unregisteredSince: SimulatorTime?

    /// Takes a device.
    ///
    /// - Parameters:
    ///   - app: The bundle id or project id that the token belongs to; nil for any.
    ///   - unregisteredSince: Since when the app is gone.
    package init(app: String? = nil, unregisteredSince: SimulatorTime? = nil) {
        self.app = app
        self.unregisteredSince = unregisteredSince
    }
}
