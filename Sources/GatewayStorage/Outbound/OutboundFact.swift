package import GatewayModel
internal import TextFormats

/// An event that an engine publishes in a brand's outbound feed; its JSON has the same shape in every engine.
package enum OutboundFact: Sendable {
    /// A conversation began.
    case opened(consumer: String, conversation: String, engagement: Engagement?)
    /// A consumer wrote to the agent.
    case written(Message, client: ClientID)
    /// A conversation was resolved, by the agent's side or the consumer's.
    case resolved(consumer: String, conversation: String, byConsumer: Bool)
    /// A push was tapped for the first time.
    case tapped(TapRequest, conversation: ConversationID, sequence: Int64, kind: MessageKind, campaign: String?)
    /// A device is no longer pushed to; with a flag when only its agents' messages ended.
    case unregistered(UnregisteredDevice)
    /// A delivery failed or expired.
    case failed(FailedDelivery)
    /// An app tracked an event of a consumer.
    case tracked(consumer: String?, CustomerEvent)

    /// The type of the item.
    package var type: OutboundType {
        switch self {
        case .written: .consumerMessage
        case .opened: .conversationOpened
        case .resolved: .conversationResolved
        case .tapped: .messageTapped
        case .unregistered: .deviceUnregistered
        case .failed: .deliveryFailed
        case .tracked: .consumerEvent
        }
    }

    /// The facts as a JSON object; absent members are left out.
    package var data: JSONText {
        var object = Self.begin()
        switch self {
        case .opened(let consumer, let conversation, let engagement):
            object.member("consumer", consumer)
            object.member("conversation", conversation)
            object.member("engagement", engagement.map(Self.data))
        case .written(let message, let client):
            object.member("messageId", message.id.description)
            object.member("clientId", client.rawValue)
            object.member("consumer", message.consumer.rawValue)
            object.member("conversation", message.conversation.rawValue)
            object.member("sequence", message.sequence)
            object.member("text", message.text)
            object.member("data", message.data)
            object.member("sentAt", message.sentAt.rfc3339)
        case .resolved(let consumer, let conversation, let byConsumer):
            object.member("consumer", consumer)
            object.member("conversation", conversation)
            object.member("by", byConsumer ? "consumer" : "agent")
        case .tapped(let tap, let conversation, let sequence, let kind, let campaign):
            object.member("messageId", tap.message.description)
            object.member("consumer", tap.consumer.rawValue)
            object.member("deviceId", tap.device.rawValue)
            object.member("conversation", conversation.rawValue)
            object.member("sequence", sequence)
            object.member("kind", kind.rawValue)
            object.member("tappedAt", tap.tappedAt.rfc3339)
            object.member("action", tap.action)
            object.member("campaign", campaign)
        case .unregistered(let device):
            object.member("consumer", device.consumer)
            object.member("app", device.app)
            object.member("deviceId", device.device)
            object.member("pushType", device.pushType)
            object.member("reason", device.reason.rawValue)
            object.member("scope", device.isOnlyAgent ? "agent" : "all")
        case .failed(let delivery):
            object.member("deliveryId", String(delivery.id))
            object.member("messageId", delivery.message?.description)
            object.member("consumer", delivery.consumer)
            object.member("app", delivery.app)
            object.member("deviceId", delivery.device)
            object.member("provider", delivery.provider)
            object.member("state", delivery.state)
            object.member("status", delivery.status)
            object.member("reason", delivery.reason)
            object.member("attempts", delivery.attempts)
        case .tracked(let consumer, let event):
            object.member("consumer", consumer)
            object.member("event", event.type)
            object.member("time", event.time.rfc3339)
            object.member("properties", event.properties)
        }
        return Self.end(object)
    }

    /// The facts that a back-end needs to route a conversation (R121).
    private static func data(_ engagement: Engagement) -> JSONText {
        var object = begin()
        object.member("campaignId", engagement.campaignId)
        object.member("engagementId", engagement.id)
        object.member("skill", engagement.skill)
        object.member("language", engagement.language)
        object.member("surveyId", engagement.surveyId)
        return end(object)
    }

    private static func begin() -> JSONWriter {
        var object = JSONWriter(capacity: 256, escapes: .numbers)
        object.literal("{")
        return object
    }

    private static func end(_ object: JSONWriter) -> JSONText {
        var object = object
        object.literal("}")
        return JSONText(trusted: String(decoding: object.bytes, as: UTF8.self))
    }

    /// A device that is no longer pushed to.
    package struct UnregisteredDevice: Sendable {
        var consumer: String
        var app: String
        var device: String
        var pushType: String
        var reason: UnregisterReason
        var isOnlyAgent: Bool

        /// Creates a device.
        package init(
            consumer: String,
            app: String,
            device: String,
            pushType: String,
            reason: UnregisterReason,
            isOnlyAgent: Bool
        ) {
            self.consumer = consumer
            self.app = app
            self.device = device
            self.pushType = pushType
            self.reason = reason
            self.isOnlyAgent = isOnlyAgent
        }
    }

    /// A delivery that failed or expired.
    package struct FailedDelivery: Sendable {
        var id: Int64
        var message: MessageID?
        var consumer: String
        var app: String
        var device: String
        var provider: String
        var state: String
        var status: Int64?
        var reason: String?
        var attempts: Int64

        /// Creates a delivery.
        package init(
            id: Int64,
            message: MessageID?,
            consumer: String,
            app: String,
            device: String,
            provider: String,
            state: String,
            status: Int64?,
            reason: String?,
            attempts: Int64
        ) {
            self.id = id
            self.message = message
            self.consumer = consumer
            self.app = app
            self.device = device
            self.provider = provider
            self.state = state
            self.status = status
            self.reason = reason
            self.attempts = attempts
        }
    }
}
