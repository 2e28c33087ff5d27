import GatewayModel

/// A device of a consumer of its own.
struct Device: Sendable {
    var name: String
    var app: String
    var pushType: PushType
    var environment = PushEnvironment.production
    /// Hexadecimal, so that either provider takes it.
    var token: String

    /// What it runs on, if not what its transport is mostly for.
    var platform: DevicePlatform?

    /// Whose it is, if not the consumer of its name.
    var owner: String?

    var consumer: ConsumerID { ConsumerID(trusted: "u-\(owner ?? name)") }

    static func ios(_ name: String, token: String, app: String = "ios") -> Device {
        Device(name: name, app: app, pushType: .apns, token: token)
    }

    static func android(_ name: String, token: String, app: String = "android") -> Device {
        Device(name: name, app: app, pushType: .fcm, token: token)
    }

    static func of(_ pushType: PushType, _ name: String, token: String) -> Device {
        pushType == .apns ? ios(name, token: token) : android(name, token: token)
    }
}
