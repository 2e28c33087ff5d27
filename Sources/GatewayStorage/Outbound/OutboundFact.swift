package import GatewayModel

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

    /// The type of the item.
    package var type: OutboundType {
        switch self {
        case .written: .consumerMessage
        case .opened: .conversationOpened
        case .resolved: .conversationResolved
        case .tapped: .messageTapped
        case .unregistered: .deviceUnregistered
        case .failed: .deliveryFailed
        }
    }

    /// The facts as a JSON object; absent members are left out.
    package var data: JSONText {
        var object = FactText()
        switch self {
        case .opened(let consumer, let conversation, let engagement):
            object.add("consumer", consumer)
            object.add("conversation", conversation)
            object.add("engagement", engagement.map(Self.data))
        case .written(let message, let client):
            object.add("messageId", message.id.description)
            object.add("clientId", client.rawValue)
            object.add("consumer", message.consumer.rawValue)
            object.add("conversation", message.conversation.rawValue)
            object.add("sequence", message.sequence)
            object.add("text", message.text)
            object.add("data", message.data)
            object.add("sentAt", message.sentAt.rfc3339)
        case .resolved(let consumer, let conversation, let byConsumer):
            object.add("consumer", consumer)
            object.add("conversation", conversation)
            object.add("by", byConsumer ? "consumer" : "agent")
        case .tapped(let tap, let conversation, let sequence, let kind, let campaign):
            object.add("messageId", tap.message.description)
            object.add("consumer", tap.consumer.rawValue)
            object.add("deviceId", tap.device.rawValue)
            object.add("conversation", conversation.rawValue)
            object.add("sequence", sequence)
            object.add("kind", kind.rawValue)
            object.add("tappedAt", tap.tappedAt.rfc3339)
            object.add("action", tap.action)
            object.add("campaign", campaign)
        case .unregistered(let device):
            object.add("consumer", device.consumer)
            object.add("app", device.app)
            object.add("deviceId", device.device)
            object.add("pushType", device.pushType)
            object.add("reason", device.reason.rawValue)
            object.add("scope", device.isOnlyAgent ? "agent" : "all")
        case .failed(let delivery):
            object.add("deliveryId", String(delivery.id))
            object.add("messageId", delivery.message?.description)
            object.add("consumer", delivery.consumer)
            object.add("app", delivery.app)
            object.add("deviceId", delivery.device)
            object.add("provider", delivery.provider)
            object.add("state", delivery.state)
            object.add("status", delivery.status)
            object.add("reason", delivery.reason)
            object.add("attempts", delivery.attempts)
        }
        return object.end()
    }

    /// The facts that a back-end needs to route a conversation (R121).
    private static func data(_ engagement: Engagement) -> JSONText {
        var object = FactText()
        object.add("campaignId", engagement.campaignId)
        object.add("engagementId", engagement.id)
        object.add("skill", engagement.skill)
        object.add("language", engagement.language)
        object.add("surveyId", engagement.surveyId)
        return object.end()
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
        ///
        /// - Parameters:
        ///   - consumer: The device's consumer.
        ///   - app: The app.
        ///   - device: The app's id of the installation.
        ///   - pushType: The transport.
        ///   - reason: The reason.
        ///   - isOnlyAgent: Whether proactive pushes continue.
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
        ///
        /// - Parameters:
        ///   - id: Its number.
        ///   - message: The message; nil for a badge.
        ///   - consumer: The device's consumer.
        ///   - app: The app.
        ///   - device: The app's id of the installation.
        ///   - provider: The transport.
        ///   - state: `failed` or `expired`.
        ///   - status: The provider's last status.
        ///   - reason: The provider's last reason.
        ///   - attempts: The number of attempts.
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

/// Writes one flat JSON object (RFC 8259); names are known at compile time and need no escape.
private struct FactText {
    private var text = "{"

    mutating func add(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        begin(name)
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }

    mutating func add(_ name: StaticString, _ value: Int64?) {
        guard let value else { return }
        begin(name)
        text += String(value)
    }

    mutating func add(_ name: StaticString, _ value: JSONText?) {
        guard let value else { return }
        begin(name)
        text += value.text
    }

    private mutating func begin(_ name: StaticString) { text += (text.utf8.count > 1 ? ",\"" : "\"") + "\(name)\":" }

    func end() -> JSONText { JSONText(trusted: text + "}") }
}
