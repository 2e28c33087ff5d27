/// One event as a back-end posted it, validated, before it is stored.
package struct AgentEvent: Sendable {
    /// The back-end's id; a replay of (brand, source, id) has no effect and gets the same response as the first.
    package var id: EventID
    /// The source of the CloudEvent; empty in plain JSON.
    package var source = ""
    /// The type.
    package var type: EventType
    /// The consumer that it concerns; an unknown one is created.
    package var consumer: ConsumerID
    /// The conversation; nil stands for the consumer's active one, or a new one, and for a proactive message for
    /// ``ConversationID/proactive(of:)``.
    package var conversation: ConversationID?
    /// A part of the conversation, as named by the back-end.
    package var dialog: String?
    /// The back-end's own sequence number of the message.
    package var sourceSequence: Int64?
    /// The agent's id, for example `8500.2001`.
    package var agentID: String?
    /// The agent's name as the consumer sees it.
    package var agentNickname: String?
    /// The text; never empty for messages, empty for other types.
    package var text = ""
    /// The title that replaces the agent's nickname on the notification.
    package var title: String?
    /// A JSON object for the app, passed through unchanged.
    package var data: JSONText?
    /// A link for each platform.
    package var link = PlatformLinks()
    /// The priority of the delivery by the provider.
    package var priority = PushPriority.high
    /// The time that a push may wait, in seconds; nil stands for the brand's `messageTtlSeconds`.
    package var ttlSeconds: Int64?
    /// The collapse key, at most 64 bytes: pushes of one device with the same key replace each other.
    package var collapseKey: String?
    /// The action category that the app registered.
    package var category: String?
    /// The name of the sound; nil for none.
    package var sound: String?
    /// Whether the push is silent: it shows nothing and counts nothing.
    package var silent = false
    /// The time of the event, as stated by the back-end.
    package var time: Timestamp?
    /// The kind, for ``EventType/proactiveMessage``.
    package var kind = MessageKind.agent
    /// The seconds after which a tap no longer surfaces it, for ``EventType/proactiveMessage``.
    package var lookBackSeconds: Int64?
    /// The campaign, for ``EventType/proactiveMessage``.
    package var campaign: String?
    /// The consent that its pushes need, for ``EventType/proactiveMessage``; nil when they need none.
    package var consent: ConsentRequirement?
    /// The only registration that gets a push; nil stands for all of them.
    ///
    /// The same event may come again for another registration: its message is not stored again, its push is queued.
    package var registration: RegistrationID?
    /// The device of which only the provider's token is known; ``consumer`` and ``registration`` are then those of its
    /// registration when the event is stored.
    package var token: TokenName?
    /// The position up to which the consumer has read, for ``EventType/messagesRead``.
    package var readTarget: ReadTarget?
    /// A hash of the event's content, independent of its format, to detect a replay with another body.
    package var bodyHash: UInt64 = 0
    /// Whether ``time`` was moved into the accepted range.
    package var clampedTime = false

    /// The kind of pushes to which it belongs.
    package var wanted: Receives { kind == .agent ? .agent : .proactive }

    /// A registration as the provider's token names it.
    package struct TokenName: Sendable {
        /// The token in its form for the transport: secret.
        package var text: String
        /// The transport.
        package var pushType: PushType
        /// The app; nil stands for any of the brand.
        package var app: AppID?

        /// Creates a name.
        package init(text: String, pushType: PushType, app: AppID? = nil) {
            self.text = text
            self.pushType = pushType
            self.app = app
        }
    }

    /// Creates an event with the given identity and otherwise the API's defaults.
    package init(id: EventID, type: EventType, consumer: ConsumerID) {
        self.id = id
        self.type = type
        self.consumer = consumer
    }
}
