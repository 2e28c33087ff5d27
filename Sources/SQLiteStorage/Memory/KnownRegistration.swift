import GatewayModel

/// An active registration in the writer's memory; a class of constants, so that a consumer's rows share it.
final class KnownRegistration {
    let id: Int64
    let lane: Int64
    let token: String
    let platform: DevicePlatform
    let receives: Receives
    let device: String
    let traits: DeviceTraits?

    init(
        id: Int64,
        lane: Int64,
        token: String,
        platform: DevicePlatform,
        receives: Receives,
        device: String,
        traits: DeviceTraits?
    ) {
        self.id = id
        self.lane = lane
        self.token = token
        self.platform = platform
        self.receives = receives
        self.device = device
        self.traits = traits
    }

    /// Returns the approximate memory of a consumer's registrations.
    static func bytes(of registrations: [KnownRegistration]) -> Int {
        registrations.reduce(80) { $0 + 240 + $1.token.utf8.count + $1.device.utf8.count }
    }
}
