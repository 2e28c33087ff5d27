package import GatewayModel

/// An active registration in the memory of an engine; a class of constants, so that a consumer's rows share it.
package final class KnownRegistration {
    /// Its number in the store.
    package let id: Int64
    /// The number of its lane.
    package let lane: Int64
    /// The provider's token: secret.
    package let token: String
    /// The platform of the device.
    package let platform: DevicePlatform
    /// The kinds of pushes that it receives.
    package let receives: Receives
    /// The app's id of the installation.
    package let device: String
    /// The facts of the device that affect texts and times; nil when it reported none of them.
    package let traits: DeviceTraits?
    /// Whether it was imported and no push to it was accepted yet.
    package let isImported: Bool

    /// Creates a registration as it is stored.
    package init(
        id: Int64,
        lane: Int64,
        token: String,
        platform: DevicePlatform,
        receives: Receives,
        device: String,
        traits: DeviceTraits?,
        isImported: Bool
    ) {
        self.id = id
        self.lane = lane
        self.token = token
        self.platform = platform
        self.receives = receives
        self.device = device
        self.traits = traits
        self.isImported = isImported
    }

    /// Returns the approximate memory of a consumer's registrations.
    ///
    /// - Parameter registrations: All that are pushed to.
    /// - Returns: Bytes.
    package static func bytes(of registrations: [KnownRegistration]) -> Int {
        registrations.reduce(80) { $0 + 240 + $1.token.utf8.count + $1.device.utf8.count }
    }
}
