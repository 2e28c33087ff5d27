package import GatewayModel

/// A consumer's message to the agent, validated.
package struct ConsumerMessage: Sendable {
    /// The brand.
    package var brand: BrandID
    /// The consumer.
    package var consumer: ConsumerID
    /// The conversation, one of the consumer's.
    package var conversation: ConversationID
    /// The app's id of the message.
    package var clientID: ClientID
    /// The text.
    package var text: String
    /// A JSON object for the back-end.
    package var data: JSONText?
    /// How long the client's id detects a repetition, in hours, counted as for events.
    package var dedupeHours: Int64
    /// The id of the stored message; the delivery core assigns it when the turn is built, above all earlier ones.
    package var messageID = MessageID(high: 0, low: 0)
    /// The window through which it came; nil when it came in a request.
    ///
    /// Not stored: for the window events of its commit.
    package var window: WindowID?

    /// Creates a message.
    package init(
        brand: BrandID,
        consumer: ConsumerID,
        conversation: ConversationID,
        clientID: ClientID,
        text: String,
        data: JSONText?,
        dedupeHours: Int64
    ) {
        self.brand = brand
        self.consumer = consumer
        self.conversation = conversation
        self.clientID = clientID
        self.text = text
        self.data = data
        self.dedupeHours = dedupeHours
    }
}

/// The result of a consumer's message, for its sender.
package struct WrittenMessage: Sendable, Equatable {
    /// The message.
    package var messageID: MessageID
    /// Its number within the conversation.
    package var sequence: Int64
    /// Whether an earlier request stored it.
    package var isRepeated: Bool

    /// Creates a result.
    package init(messageID: MessageID, sequence: Int64, isRepeated: Bool) {
        self.messageID = messageID
        self.sequence = sequence
        self.isRepeated = isRepeated
    }
}

/// A consumer's request for an active conversation.
package struct ConversationToOpen: Sendable {
    /// The brand.
    package var brand: BrandID
    /// The consumer.
    package var consumer: ConsumerID
    /// The engagement at which it begins, for routing; ignored when the conversation exists.
    package var engagement: Engagement?
    /// The id after which a new conversation is named; the delivery core assigns it when the turn is built.
    package var messageID = MessageID(high: 0, low: 0)

    /// Creates a request.
    package init(brand: BrandID, consumer: ConsumerID) {
        self.brand = brand
        self.consumer = consumer
    }

    /// The number of conversations named by the gateway that a consumer may have, including resolved ones.
    ///
    /// They are removed with their messages (``HousekeepingBatch/Work/conversations(before:)``), and each makes reading
    /// the unread count more expensive.
    package static let perConsumer = 1000
}

extension StoreChange {
    /// Assigns an id to a change that creates something; `next` returns the next id and is called at most once.
    package mutating func number(_ next: () -> MessageID) {
        switch self {
        case .write(var message):
            message.messageID = next()
            self = .write(message)
        case .openConversation(var request):
            request.messageID = next()
            self = .openConversation(request)
        default: break
        }
    }

    /// The memory of a change beyond its ids, in bytes.
    package var bytes: Int {
        switch self {
        case .write(let message): message.text.utf8.count + (message.data?.text.utf8.count ?? 0)
        case .receipts(_, _, let receipts): receipts.count * MemoryLayout<DeviceReceipt>.stride
        case .track(let change): change.bytes
        default: 0
        }
    }

    /// The share of a turn that a change takes, 1 or more: as much as so many changes of one row each.
    package var weight: Int {
        switch self {
        case .receipts(_, _, let receipts): max(receipts.count, 1)
        case .endStale(let stale): max(stale.limit, 1)
        // Those of an import never end: with a third of them in a turn, events wait a third as long.
        case .register(let device): device.isImported ? 3 : 1
        default: 1
        }
    }
}
