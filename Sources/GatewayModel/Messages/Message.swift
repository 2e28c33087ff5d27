/// A message as it is stored: what a device downloads, and what its push messages are made of.
///
/// A class of constants, so that the rows of many devices share one.
package final class Message: Sendable {
    /// Our id, also the push message id.
    package let id: MessageID
    /// The brand.
    package let brand: BrandID
    /// The consumer.
    package let consumer: ConsumerID
    /// The conversation.
    package let conversation: ConversationID
    /// A part of the conversation, as the back-end names it.
    package let dialog: String?
    /// Our dense number within the conversation, from 1.
    package let sequence: Int64
    /// The back-end's own number.
    package let sourceSequence: Int64?
    /// Who started it.
    package let kind: MessageKind
    /// The agent's id.
    package let agentID: String?
    /// The agent's name as the consumer sees it.
    package let agentNickname: String?
    /// The text.
    package let text: String
    /// The title, if the event named one.
    package let title: String?
    /// A JSON object for the app.
    package let data: JSONText?
    /// A link for each platform.
    package let link: PlatformLinks
    /// How urgently a provider should deliver.
    package let priority: PushPriority
    /// Pushes of one device with one key replace each other.
    package let collapseKey: String?
    /// The action category.
    package let category: String?
    /// The sound's name.
    package let sound: String?
    /// A silent push shows nothing and counts nothing.
    package let silent: Bool
    /// When it was accepted.
    package let acceptedAt: Timestamp
    /// When it happened, as the back-end says; ``acceptedAt`` if it said nothing.
    package let sentAt: Timestamp
    /// After this moment no push goes out.
    package let expiresAt: Timestamp
    /// After this moment a tap no longer surfaces it; nil is never.
    package let lookBackUntil: Timestamp?
    /// The campaign of a proactive message.
    package let campaign: String?

    /// Makes the message of an event.
    ///
    /// - Parameters:
    ///   - posted: The event as posted, with our id.
    ///   - brand: The brand.
    ///   - conversation: The conversation that it went to.
    ///   - sequence: Our number within the conversation.
    ///   - acceptedAt: The time of the commit.
    ///   - expiresAt: After this moment no push goes out.
    package init(
        _ posted: PostedEvent,
        brand: BrandID,
        conversation: ConversationID,
        sequence: Int64,
        acceptedAt: Timestamp,
        expiresAt: Timestamp
    ) {
        self.id = posted.messageID
        self.brand = brand
        self.consumer = posted.event.consumer
        self.conversation = conversation
        self.dialog = posted.event.dialog
        self.sequence = sequence
        self.sourceSequence = posted.event.sourceSequence
        self.kind = posted.event.kind
        self.agentID = posted.event.agentID
        self.agentNickname = posted.event.agentNickname
        self.text = posted.event.text
        self.title = posted.event.title
        self.data = posted.event.data
        self.link = posted.event.link
        self.priority = posted.event.priority
        self.collapseKey = posted.event.collapseKey
        self.category = posted.event.category
        self.sound = posted.event.sound
        self.silent = posted.event.silent
        self.acceptedAt = acceptedAt
        self.sentAt = posted.event.time ?? acceptedAt
        self.expiresAt = expiresAt
        self.lookBackUntil = posted.event.lookBackSeconds.map { acceptedAt.adding(seconds: $0) }
        self.campaign = posted.event.campaign
    }

    /// Makes a message from what the store kept.
    ///
    /// - Parameters:
    ///   - id: Our id.
    ///   - brand: The brand.
    ///   - consumer: The consumer.
    ///   - conversation: The conversation.
    ///   - dialog: A part of the conversation.
    ///   - sequence: Our number within the conversation.
    ///   - sourceSequence: The back-end's own number.
    ///   - kind: Who started it.
    ///   - agentID: The agent's id.
    ///   - agentNickname: The agent's name.
    ///   - text: The text.
    ///   - title: The title.
    ///   - data: A JSON object for the app.
    ///   - link: A link for each platform.
    ///   - priority: How urgently a provider should deliver.
    ///   - collapseKey: Pushes with one key replace each other.
    ///   - category: The action category.
    ///   - sound: The sound's name.
    ///   - silent: Whether it shows and counts nothing.
    ///   - acceptedAt: When it was accepted.
    ///   - sentAt: When it happened.
    ///   - expiresAt: After this moment no push goes out.
    ///   - lookBackUntil: After this moment a tap no longer surfaces it.
    ///   - campaign: The campaign of a proactive message.
    package init(
        id: MessageID,
        brand: BrandID,
        consumer: ConsumerID,
        conversation: ConversationID,
        dialog: String?,
        sequence: Int64,
        sourceSequence: Int64?,
        kind: MessageKind,
        agentID: String?,
        agentNickname: String?,
        text: String,
        title: String?,
        data: JSONText?,
        link: PlatformLinks,
        priority: PushPriority,
        collapseKey: String?,
        category: String?,
        sound: String?,
        silent: Bool,
        acceptedAt: Timestamp,
        sentAt: Timestamp,
        expiresAt: Timestamp,
        lookBackUntil: Timestamp?,
        campaign: String?
    ) {
        self.id = id
        self.brand = brand
        self.consumer = consumer
        self.conversation = conversation
        self.dialog = dialog
        self.sequence = sequence
        self.sourceSequence = sourceSequence
        self.kind = kind
        self.agentID = agentID
        self.agentNickname = agentNickname
        self.text = text
        self.title = title
        self.data = data
        self.link = link
        self.priority = priority
        self.collapseKey = collapseKey
        self.category = category
        self.sound = sound
        self.silent = silent
        self.acceptedAt = acceptedAt
        self.sentAt = sentAt
        self.expiresAt = expiresAt
        self.lookBackUntil = lookBackUntil
        self.campaign = campaign
    }
}
