/// The visible content of a notification for a push.
public struct NotificationContent: Sendable, Hashable {
    /// The headline: the push's, else the agent's nickname.
    public var title: String
    /// The text.
    public var body: String
    /// The number on the app's icon; nil leaves it.
    public var badge: Int?
    /// The group of the notification: the conversation.
    public var threadID: String?

    /// Creates the content of a push; nil if there is nothing to show.
    public init?(_ message: PushMessage) {
        guard message.isVisible else { return nil }
        title = message.title ?? message.nickname ?? ""
        body = message.text ?? ""
        badge = message.badge
        threadID = message.conversationID
    }
}
