/// One push to be rendered now: everything that its provider request is made of, true at this moment.
package struct PushJob: Sendable {
    /// The delivery; comes back with the answer.
    package var delivery: DeliveryID
    /// The registration, for the device's own `apns-id`.
    package var registration: RegistrationID
    /// The provider's token: secret.
    package var token: String
    /// What kind of device it is.
    package var platform: DevicePlatform
    /// The language that the device asked for; chooses among a brand's templates.
    package var locale: String?
    /// Whether it must not make a sound.
    package var isQuiet: Bool
    /// How many agents' messages it stands for, its own included; 0 when it is no summary.
    package var summary: Int64
    /// The message; nil for a push that only sets the badge.
    package var message: Message?
    /// The consumer's unread count now, this message included; nil leaves the badge alone (silent pushes, R185).
    package var badge: Int64?
    /// After this moment the provider must not deliver it.
    package var expiresAt: Timestamp
    /// Whether a message that it stands for is urgent, though its own may not be.
    package var isUrgent = false
    /// The sound of what it stands for, if its own message has none.
    package var sound: String?
    /// How far conversations were read, in a push that only sets the badge: the app takes away what it shows of them.
    package var read: [ReadMark] = []

    /// Takes the facts of a push.
    ///
    /// - Parameters:
    ///   - delivery: The delivery.
    ///   - registration: The registration.
    ///   - token: The provider's token.
    ///   - platform: What kind of device it is.
    ///   - locale: The language that the device asked for.
    ///   - isQuiet: Whether it must not make a sound.
    ///   - summary: How many agents' messages it stands for.
    ///   - message: The message; nil only sets the badge.
    ///   - badge: The consumer's unread count now.
    ///   - expiresAt: After this moment the provider must not deliver it.
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

    /// What a summary's notification is known by on the device: neither its newest message's own id nor its collapse key, or what
    /// takes that message away, or its place, would take away what tells of all the others.
    ///
    /// - Parameter message: The message of the push.
    /// - Returns: `summary-` and the message's id, 44 bytes; nil when it is no summary.
    package func summaryTag(of message: Message) -> String? { summary > 0 ? "summary-\(message.id)" : nil }
}
