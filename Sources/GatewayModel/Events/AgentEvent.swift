/// One event as a back-end posted it, validated, before it is stored.
package struct AgentEvent: Sendable {
    /// The back-end's id; a replay of (brand, source, id) is ignored and answered as the first.
    package var id: EventID
    /// The CloudEvents source; empty in plain JSON.
    package var source: String
    /// What happened.
    package var type: EventType
    /// Whom it concerns; a consumer never seen before is created.
    package var consumer: ConsumerID
    /// The conversation; nil goes to the consumer's active one, else opens one.
    package var conversation: ConversationID?
    /// A part of the conversation, as the back-end names it.
    package var dialog: String?
    /// The back-end's own number of the message.
    package var sourceSequence: Int64?
    /// The agent's id, for example `8500.2001`.
    package var agentID: String?
    /// The agent's name as the consumer sees it.
    package var agentNickname: String?
    /// The text; never empty for messages, empty for other types.
    package var text: String
    /// The title that replaces the agent's nickname on the notification.
    package var title: String?
    /// A JSON object for the app, passed through as it came.
    package var data: JSONText?
    /// A link for each platform.
    package var link: PlatformLinks
    /// How urgently the provider should deliver.
    package var priority: PushPriority
    /// How long a push may wait, in seconds; nil takes the brand's `messageTtlSeconds`.
    package var ttlSeconds: Int64?
    /// Pushes of one device with one key replace each other; at most 64 bytes.
    package var collapseKey: String?
    /// The action category that the app registered.
    package var category: String?
    /// The sound's name; nil is none.
    package var sound: String?
    /// A silent push shows nothing and counts nothing.
    package var silent: Bool
    /// When it happened, as the back-end says.
    package var time: Timestamp?
    /// For ``EventType/proactiveMessage``: which kind.
    package var kind: MessageKind
    /// For ``EventType/proactiveMessage``: after this many seconds a tap no longer surfaces it.
    package var lookBackSeconds: Int64?
    /// For ``EventType/proactiveMessage``: the campaign.
    package var campaign: String?
    /// For ``EventType/messagesRead``: up to where.
    package var readTarget: ReadTarget?
    /// A hash of what the event says, whatever the form that it came in, to notice a replay with another body.
    package var bodyHash: UInt64
    /// Whether ``time`` was moved into the range that we accept.
    package var clampedTime: Bool

    /// An event with the given identity and otherwise the API's defaults.
    ///
    /// - Parameters:
    ///   - id: The back-end's id.
    ///   - type: What happened.
    ///   - consumer: Whom it concerns.
    package init(id: EventID, type: EventType, consumer: ConsumerID) {
        self.id = id
        self.source = ""
        self.type = type
        self.consumer = consumer
        self.text = ""
        self.link = PlatformLinks()
        self.priority = .high
        self.sound = nil
        self.silent = false
        self.kind = .agent
        self.bodyHash = 0
        self.clampedTime = false
    }
}
