package import GatewayModel

/// A delivery that is not finished, with everything that a lane needs to send it.
package struct OutboxRow: Sendable {
    /// The delivery.
    package var id: DeliveryID
    /// The way out.
    package var lane: LaneID
    /// The registration.
    package var registration: RegistrationID
    /// The provider's token as it was in the same transaction: secret.
    package var token: String
    /// What kind of device it is.
    package var platform: DevicePlatform
    /// What of the device shapes words and times; nil when it says none of it.
    package var traits: DeviceTraits?
    /// Whose it is.
    package var consumer: ConsumerKey
    /// The consumer's unread count as it was at the end of the same transaction.
    package var unread: Int64
    /// What it carries.
    package var kind: DeliveryKind
    /// The queue of its lane.
    package var queue: OutboxQueue
    /// The conversation of the message; nil for a badge.
    package var conversation: ConversationKey?
    /// The message; nil for a badge.
    package var message: Message?
    /// How often it was tried.
    package var attempts: Int
    /// After this moment it is not sent any more.
    package var expiresAt: Timestamp
    /// When it was queued.
    package var queuedAt: Timestamp
    /// For a badge: the conversations that were read last, as of the same transaction, those read last first.
    ///
    /// At most ``GatewayModel/ReadMark/maxConversations``.
    package var read: [ReadMark] = []

    /// Takes the facts of a row.
    ///
    /// - Parameters:
    ///   - id: The delivery.
    ///   - lane: The way out.
    ///   - registration: The registration.
    ///   - token: The provider's token.
    ///   - platform: What kind of device it is.
    ///   - traits: What of the device shapes words and times.
    ///   - consumer: Whose it is.
    ///   - unread: The consumer's unread count at the end of the same transaction.
    ///   - kind: What it carries.
    ///   - queue: The queue of its lane; made of the message's kind when it is not given.
    ///   - conversation: The conversation of the message.
    ///   - message: The message.
    ///   - attempts: How often it was tried.
    ///   - expiresAt: After this moment it is not sent any more.
    ///   - queuedAt: When it was queued.
    package init(
        id: DeliveryID,
        lane: LaneID,
        registration: RegistrationID,
        token: String,
        platform: DevicePlatform,
        traits: DeviceTraits? = nil,
        consumer: ConsumerKey,
        unread: Int64,
        kind: DeliveryKind,
        queue: OutboxQueue? = nil,
        conversation: ConversationKey?,
        message: Message?,
        attempts: Int,
        expiresAt: Timestamp,
        queuedAt: Timestamp
    ) {
        self.id = id
        self.lane = lane
        self.registration = registration
        self.token = token
        self.platform = platform
        self.traits = traits
        self.consumer = consumer
        self.unread = unread
        self.kind = kind
        self.queue = queue ?? OutboxQueue(message: message?.kind, campaign: nil)
        self.conversation = conversation
        self.message = message
        self.attempts = attempts
        self.expiresAt = expiresAt
        self.queuedAt = queuedAt
    }
}
