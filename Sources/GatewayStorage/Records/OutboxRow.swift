package import GatewayModel

/// A delivery that is not finished, with everything that a lane needs to send it.
package struct OutboxRow: Sendable {
    /// The delivery.
    package var id: DeliveryID
    /// The lane.
    package var lane: LaneID
    /// The registration.
    package var registration: RegistrationID
    /// The provider's token as it was in the same transaction: secret.
    package var token: String
    /// The platform of the device.
    package var platform: DevicePlatform
    /// The facts of the device that affect texts and times; nil when it reported none of them.
    package var traits: DeviceTraits?
    /// The consumer.
    package var consumer: ConsumerKey
    /// The consumer's unread count as it was at the end of the same transaction.
    package var unread: Int64
    /// Whether the device receives agents' messages: only then does a push carry their unread count (R195).
    package var receivesAgents = true
    /// Whether the device was imported and no push to it was accepted yet, as of the same transaction.
    package var isImported = false
    /// Whether the time until it is accepted says how fast pushes are: not when an open messaging window held it back, or
    /// when it had ended and is sent again.
    package var isTimed = true
    /// The payload.
    package var kind: DeliveryKind
    /// The queue of its lane.
    package var queue: OutboxQueue
    /// The conversation of the message; nil for a badge.
    package var conversation: ConversationKey?
    /// The message; nil for a badge.
    package var message: Message?
    /// The number of attempts.
    package var attempts: Int
    /// The moment after which it is not sent any more.
    package var expiresAt: Timestamp
    /// When it was queued.
    package var queuedAt: Timestamp
    /// For a badge: the most recently read conversations as of the same transaction, most recent first.
    ///
    /// At most ``GatewayModel/ReadMark/maxConversations``.
    package var read: [ReadMark] = []

    /// Creates a row; `queue` is derived from the message's kind when it is not given.
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
