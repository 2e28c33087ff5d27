public import Foundation

/// A message that the gateway stores.
public struct GatewayMessage: Sendable, Hashable {
    /// The id.
    public var id: String
    /// The conversation.
    public var conversationID: String?
    /// The number in the conversation.
    public var sequence: Int?
    /// Whether the consumer wrote it.
    public var isFromConsumer: Bool
    /// The kind: agent, proactive, c2m or consumer.
    public var kind: String
    /// The agent's nickname.
    public var nickname: String?
    /// The headline.
    public var title: String?
    /// The text.
    public var text: String
    /// The event's data for the app.
    public var data: JSONValue?
    /// The time at which it was sent.
    public var sentAt: Date?
    /// Whether it is shortened, as a long one in a messaging window: without its data, and perhaps with a cut text.
    ///
    /// ``SwitchboardClient/messages(conversationID:afterSequence:limit:)`` has the whole message.
    public var isTruncated: Bool

    /// Reads a message of the API; nil if it has no id or no text.
    init?(_ value: JSONValue) {
        guard let id = value["messageId"]?.text, case .string(let text)? = value["text"] else { return nil }
        self.id = id
        self.text = text
        conversationID = value["conversation"]?.text
        sequence = value["sequence"]?.integerValue
        isFromConsumer = value["from"]?.text == "consumer"
        kind = value["kind"]?.text ?? "agent"
        nickname = value["agent"]?["nickname"]?.text
        title = value["title"]?.text
        data = value["data"]
        sentAt = value["sentAt"]?.text.flatMap { Timestamps.date($0) }
        isTruncated = value["truncated"]?.flag ?? false
    }
}
