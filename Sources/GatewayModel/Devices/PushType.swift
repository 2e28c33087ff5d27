/// The transport of a device's pushes.
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

/// Which of a provider's two worlds a device token belongs to; only APNs has two.
package enum PushEnvironment: String, Sendable, CaseIterable, Codable {
    /// Devices with released apps.
    case production
    /// Devices with development builds.
    case sandbox
}

/// What kind of device an app runs on.
package enum DevicePlatform: String, Sendable, CaseIterable, Codable {
    /// iOS, iPadOS and the other systems of Apple.
    case ios
    /// Android.
    case android
    /// HarmonyOS and Huawei's Android.
    case harmony
    /// A browser.
    case web
}

/// What a registered device wants to be pushed.
package struct Receives: OptionSet, Hashable, Sendable {
    /// The bits as the store keeps them.
    package let rawValue: Int

    /// Takes the bits.
    ///
    /// - Parameter rawValue: 0 to 3.
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Agents' messages.
    package static let agent = Receives(rawValue: 1)
    /// Proactive and connect-to-messaging pushes.
    package static let proactive = Receives(rawValue: 2)
    /// Everything.
    package static let all: Receives = [.agent, .proactive]

    /// The words of the wire, in a fixed order.
    package var names: [String] {
        (contains(.agent) ? ["agent"] : []) + (contains(.proactive) ? ["proactive"] : [])
    }
}

/// Whether a registration is trusted to work.
package enum RegistrationState: String, Sendable {
    /// Pushes go out.
    case active
    /// The provider called the token malformed or of another app; kept, not pushed to.
    case quarantined
}

/// What a logout or unregister call ends (R80).
package enum UnregisterScope: String, Sendable, CaseIterable {
    /// Every push; the registration is gone.
    case all
    /// Agents' pushes; proactive ones still arrive.
    case agent
    /// Nothing; the registration is kept.
    case none
}
