/// The simulated services.
package enum SimulatedProvider: String, Sendable, CaseIterable {
    /// Apple Push Notification service.
    case apns
    /// Firebase Cloud Messaging, HTTP v1.
    case fcm
    /// Google's OAuth 2.0 token endpoint.
    case oauth
    /// A brand's identity provider.
    case identityProvider
    /// Talkdesk's token service, and a brand's decisions about its tokens.
    case talkdesk
    /// Chatwoot's API.
    case chatwoot

    /// Whether it accepts pushes; rules for other services must name them.
    var isPushService: Bool { self == .apns || self == .fcm }
}
