/// An event that the library reports to the app.
public enum ClientEvent: Sendable, Equatable {
    /// The gateway has accepted the consumer, or does so no longer.
    case connectionChanged(isReady: Bool)
    /// The credential has expired: give a fresh one with ``SwitchboardClient/reconnect(_:)``.
    case tokenExpired
    /// The credential was rejected for good (iOS profile).
    case authenticationFailed(SwitchboardError)
    /// An error that no call reports, with its type; a rejected credential too in the Android profile.
    case error(ErrorType, SwitchboardError)
    /// The push registration is stored by the gateway.
    case registrationFinished
    /// The push registration failed after all repetitions.
    case registrationFailed(SwitchboardError)
    /// The consumer tapped the library's own banner: call ``SwitchboardClient/setPushNotificationTapped(_:action:clearOthers:)``,
    /// then open the conversation.
    case notificationTapped(PushMessage)
    /// The unread count has changed.
    case unreadChanged(Int)
    /// Another consumer uses the session, as after ``SwitchboardClient/reconnect(_:)``: nothing of the one before is left
    /// on the device, and the app must not show it any longer.
    case consumerChanged
    /// The session has ended without a call of the app; nothing of the consumer is left on the device.
    case sessionEnded(LogoutCause)

    /// The part of the library that an error belongs to.
    public enum ErrorType: String, Sendable, Hashable {
        /// Authentication.
        case identityProvider = "IDP"
        /// The device's storage.
        case storage
    }
}

/// The cause of a logout.
public enum LogoutCause: String, Sendable, Hashable {
    /// The consumer logged out.
    case explicit
    /// The app ended the session because the consumer did nothing for a while.
    case inactivity
    /// The consumer logged in on another device.
    case otherDevice
    /// The brand, or an operator, ended the session.
    case remote
    /// Another consumer logged in on this device.
    case consumerChanged
}

/// The registrations that a logout ends.
public enum UnregisterScope: String, Sendable, Hashable, Codable {
    /// No push arrives any more.
    case all
    /// Agents' pushes stop, proactive ones still arrive.
    case agent
    /// The registration is kept.
    case none
}
