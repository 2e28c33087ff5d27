import GatewayModel

/// A device with its own consumer.
struct Device: Sendable {
    var name: String
    var app: String
    var pushType: PushType
    var environment = PushEnvironment.production
    /// The token in hexadecimal, which both providers accept.
    var token: String

    /// The platform, if not the usual one of its transport.
    var platform: DevicePlatform?

    /// The consumer, if not the one with the device's name.
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
