/// A message as stored: devices download it, and its pushes are rendered from it.
///
/// An immutable class, so that the rows of many devices share one instance.
package final class Message: Sendable {
    /// The message's id, also the id of its pushes.
    package let id: MessageID
    /// The brand.
    package let brand: BrandID
    /// The consumer.
    package let consumer: ConsumerID
    /// The conversation.
    package let conversation: ConversationID
    /// A part of the conversation, as named by the back-end.
    package let dialog: String?
    /// The gateway's dense sequence number within the conversation, from 1.
    package let sequence: Int64
    /// The back-end's own sequence number.
    package let sourceSequence: Int64?
    /// The kind, which says who started it.
    package let kind: MessageKind
    /// The agent's id.
    package let agentID: String?
    /// The agent's name as the consumer sees it.
    package let agentNickname: String?
    /// The text.
    package let text: String
    /// The title, if the event has one.
    package let title: String?
    /// A JSON object for the app.
    package let data: JSONText?
    /// A link for each platform.
    package let link: PlatformLinks
    /// The priority of the delivery by a provider.
    package let priority: PushPriority
    /// The collapse key: pushes of one device with the same key replace each other.
    package let collapseKey: String?
    /// The action category.
    package let category: String?
    /// The sound's name.
    package let sound: String?
    /// Whether it is silent: a silent push shows nothing and counts nothing.
    package let silent: Bool
    /// The time at which it was accepted.
    package let acceptedAt: Timestamp
    /// The time of the event, as stated by the back-end; ``acceptedAt`` if it stated none.
    package let sentAt: Timestamp
    /// The time after which no push is sent.
    package let expiresAt: Timestamp
    /// The time after which a tap no longer surfaces it; nil for never.
    package let lookBackUntil: Timestamp?
    /// The campaign of a proactive message.
    package let campaign: String?
    /// The category to which a consumer must consent to get its pushes; nil when they need no consent.
    package let consentCategory: String?

    /// Whether it counts as unread until the consumer has read it: an agent's message that is not silent.
    package var countsAsUnread: Bool { kind == .agent && !silent }

    /// Creates the message of an event.
    ///
    /// - Parameters:
    ///   - posted: The event as posted, with the message's id.
    ///   - brand: The brand.
    ///   - conversation: The conversation that it belongs to.
    ///   - sequence: The gateway's sequence number within the conversation.
    ///   - acceptedAt: The time of the commit.
    ///   - expiresAt: The time after which no push is sent.
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
        self.consentCategory = posted.event.consent?.category
    }

    /// Creates a message from its stored members.
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
        campaign: String?,
        consentCategory: String?
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
        self.consentCategory = consentCategory
    }
}
