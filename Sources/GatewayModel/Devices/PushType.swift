/// The transport of a device's pushes; ``transport`` has its properties.
package enum PushType: String, Sendable, CaseIterable, Codable {
    /// Apple Push Notification service.
    case apns
    /// Firebase Cloud Messaging, HTTP v1.
    case fcm
    /// Huawei Push Kit.
    case huawei
    /// Web Push (RFC 8030).
    case webpush
}

/// The provider's environment that a device token belongs to; only APNs has two.
package enum PushEnvironment: String, Sendable, CaseIterable, Codable {
    /// Devices with released apps.
    case production
    /// Devices with development builds.
    case sandbox
}

/// The platform of an app's devices.
package enum DevicePlatform: String, Sendable, CaseIterable, Codable {
    /// iOS, iPadOS and Apple's other systems.
    case ios
    /// Android.
    case android
    /// HarmonyOS and Huawei's Android.
    case harmony
    /// A browser.
    case web
}

/// The pushes that a registered device subscribed to.
package struct Receives: OptionSet, Hashable, Sendable {
    /// The bits as stored, 0 to 3.
    package let rawValue: Int

    /// Creates a set from its bits.
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Agents' messages.
    package static let agent = Receives(rawValue: 1)
    /// Proactive and connect-to-messaging pushes.
    package static let proactive = Receives(rawValue: 2)
    /// Everything.
    package static let all: Receives = [.agent, .proactive]

    /// The names in JSON, in a fixed order.
    package var names: [String] {
        (contains(.agent) ? ["agent"] : []) + (contains(.proactive) ? ["proactive"] : [])
    }
}

/// The state of a registration: whether it gets pushes.
package enum RegistrationState: String, Sendable {
    /// Pushes are sent.
    case active
    /// The provider reported the token as malformed or of another app; the registration is kept, but gets no pushes.
    case quarantined
}

/// The pushes that a logout or unregister call ends (R80).
package enum UnregisterScope: String, Sendable, CaseIterable {
    /// Every push; the registration is deleted.
    case all
    /// Agents' pushes; proactive ones still arrive.
    case agent
    /// Nothing; the registration is kept.
    case none
}
