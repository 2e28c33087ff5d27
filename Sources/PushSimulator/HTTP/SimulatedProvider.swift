/// The services that are simulated.
package enum SimulatedProvider: String, Sendable, CaseIterable {
    /// Apple Push Notification service.
    case apns
    /// Firebase Cloud Messaging, HTTP v1.
    case fcm
    /// Google's OAuth 2.0 token endpoint.
    case oauth
    /// A brand's identity provider.
    case identityProvider

    /// Whether it takes pushes; the others must be named by rules.
    var isPushService: Bool { self == .apns || self == .fcm }
}
