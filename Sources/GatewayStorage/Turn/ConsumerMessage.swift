package import GatewayModel

/// What a consumer writes to the agent, validated.
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
    /// How long the client's id tells a repetition, in hours, counted as for events.
    package var dedupeHours: Int64
    /// The id of the message that it becomes; given by the delivery core when the turn is made, above all before it.
    package var messageID = MessageID(high: 0, low: 0)
    /// The window that it came through; nil when it came by a request.
    ///
    /// Not stored: for the news of its commit.
    package var window: WindowID?

    /// Takes what a consumer writes.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - consumer: The consumer.
    ///   - conversation: The conversation.
    ///   - clientID: The app's id of the message.
    ///   - text: The text.
    ///   - data: A JSON object for the back-end.
    ///   - dedupeHours: How long the client's id tells a repetition.
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

/// A consumer's message as its sender learns of it.
package struct WrittenMessage: Sendable, Equatable {
    /// The message.
    package var messageID: MessageID
    /// Its number within the conversation.
    package var sequence: Int64
    /// Whether an earlier request had stored it.
    package var isRepeated: Bool

    /// Takes what a sender learns.
    ///
    /// - Parameters:
    ///   - messageID: The message.
    ///   - sequence: Its number within the conversation.
    ///   - isRepeated: Whether an earlier request had stored it.
    package init(messageID: MessageID, sequence: Int64, isRepeated: Bool) {
        self.messageID = messageID
        self.sequence = sequence
        self.isRepeated = isRepeated
    }
}

/// A conversation that a consumer wants to be in.
package struct ConversationToOpen: Sendable {
    /// The brand.
    package var brand: BrandID
    /// The consumer.
    package var consumer: ConsumerID
    /// What it begins with, for who routes it; means nothing when the conversation is there already.
    package var engagement: Engagement?
    /// What names a conversation that is opened; given by the delivery core when the turn is made.
    package var messageID = MessageID(high: 0, low: 0)

    /// Takes who wants to be in a conversation.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - consumer: The consumer.
    package init(brand: BrandID, consumer: ConsumerID) {
        self.brand = brand
        self.consumer = consumer
    }

    /// So many conversations that the gateway named a consumer may have, the resolved ones among them: they go with their
    /// messages (``HousekeepingBatch/Work/conversations(before:)``), and each makes a look at what is unread dearer.
    package static let perConsumer = 1000
}

extension StoreChange {
    /// Gives a change that makes something the id of what it makes.
    ///
    /// - Parameter next: The next id; called at most once.
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

    /// What a change holds in memory beyond its ids, in bytes.
    package var bytes: Int {
        switch self {
        case .write(let message): message.text.utf8.count + (message.data?.text.utf8.count ?? 0)
        case .receipts(_, _, let receipts): receipts.count * MemoryLayout<DeviceReceipt>.stride
        default: 0
        }
    }

    /// How much of a turn a change takes up, 1 or more: as much as so many changes of one row each.
    package var weight: Int {
        switch self {
        case .receipts(_, _, let receipts): max(receipts.count, 1)
        case .endStale(let stale): max(stale.limit, 1)
        default: 1
        }
    }
}
