/// One push to render now: all data of its provider request, valid at this moment.
package struct PushJob: Sendable {
    /// The delivery; returned with the provider's response.
    package var delivery: DeliveryID
    /// The registration, for the device's own `apns-id`.
    package var registration: RegistrationID
    /// The provider's token: secret.
    package var token: String
    /// The platform of the device.
    package var platform: DevicePlatform
    /// The language of the device; selects one of the brand's templates.
    package var locale: String?
    /// Whether it must not make a sound.
    package var isQuiet: Bool
    /// The number of agents' messages that it summarizes, its own included; 0 when it is not a summary.
    package var summary: Int64
    /// The message; nil for a push that only sets the badge.
    package var message: Message?
    /// The consumer's unread count now, this message included; nil leaves the badge alone (silent pushes, R185).
    package var badge: Int64?
    /// The expiry: the provider must not deliver it later.
    package var expiresAt: Timestamp
    /// Whether a summarized message is urgent, even if its own is not.
    package var isUrgent = false
    /// The sound of a summarized message, if its own message has none.
    package var sound: String?
    /// The read marks of conversations, in a push that only sets the badge: the app removes the notifications of read
    /// messages.
    package var read: [ReadMark] = []

    /// Creates a push.
    package init(
        delivery: DeliveryID,
        registration: RegistrationID,
        token: String,
        platform: DevicePlatform,
        locale: String? = nil,
        isQuiet: Bool = false,
        summary: Int64 = 0,
        message: Message?,
        badge: Int64?,
        expiresAt: Timestamp
    ) {
        self.delivery = delivery
        self.registration = registration
        self.token = token
        self.platform = platform
        self.locale = locale
        self.isQuiet = isQuiet
        self.summary = summary
        self.message = message
        self.badge = badge
        self.expiresAt = expiresAt
    }

    /// Returns the tag of a summary's notification on the device.
    ///
    /// It is neither its newest message's id nor its collapse key: whatever removes or replaces that message would also
    /// remove the notification of all the others.
    ///
    /// - Returns: `summary-` and the message's id, 44 bytes; nil when it is not a summary.
    package func summaryTag(of message: Message) -> String? { summary > 0 ? "summary-\(message.id)" : nil }
}
