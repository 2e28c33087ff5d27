/// A device with a known token.
package struct SimulatedDevice: Sendable, Hashable {
    /// The bundle id (APNs) or project id (FCM) that the token belongs to; nil for any.
    package var app: String?
    /// The time of the app's removal from the device; nil while it is installed.
    package var unregisteredSince: SimulatorTime?

    /// Creates a device.
    ///
    /// - Parameters:
    ///   - app: The bundle id or project id that the token belongs to; nil for any.
    ///   - unregisteredSince: The time of the app's removal.
    package init(app: String? = nil, unregisteredSince: SimulatorTime? = nil) {
        self.app = app
        self.unregisteredSince = unregisteredSince
    }
}
