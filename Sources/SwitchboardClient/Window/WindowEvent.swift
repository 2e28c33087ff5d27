/// The state of a messaging window.
public enum WindowState: String, Sendable, Hashable {
    /// The window connects, or downloads the messages that the consumer has not read.
    case opening
    /// The window is open, and the messages are downloaded: the unread count falls now.
    case ready
    /// The connection was lost; the window connects again, and continues with the first message that is missing.
    case reconnecting
}

/// An event of a messaging window, in the order of the gateway.
public enum WindowEvent: Sendable, Hashable {
    /// The state has changed.
    case stateChanged(WindowState)
    /// A message; each one comes once, also after a reconnection.
    ///
    /// Messages that the consumer wrote elsewhere come too, and one of this window if its connection was lost before the
    /// gateway could respond: compare ``SentMessage/messageID``.
    case message(GatewayMessage)
    /// Messages were read, in this window or elsewhere.
    case read(conversationID: String, upToSequence: Int, unread: Int)
    /// A conversation was resolved.
    case resolved(conversationID: String, byConsumer: Bool)
    /// Somebody types: the agent, or the consumer in another window.
    case typing(conversationID: String, byConsumer: Bool)
    /// The gateway did not accept something that no call reports: an acknowledgement or typing.
    case error(SwitchboardError)
    /// The window has closed, the last event: nil if the app closed it, `sessionEnded` after a logout or with another
    /// consumer.
    case closed(SwitchboardError?)
}

/// The options of a messaging window.
public struct WindowOptions: Sendable, Hashable {
    /// The last sequence of each conversation that the app has stored: only later messages are downloaded.
    ///
    /// A conversation without one starts after its read mark.
    public var afterSequences: [String: Int]
    /// Whether messages count as read when the app has them and the window is ready; otherwise
    /// ``MessagingWindow/acknowledge(conversationID:upToSequence:)`` does it.
    public var acknowledgesAutomatically: Bool

    /// Creates options.
    ///
    /// - Parameters:
    ///   - afterSequences: The last sequences that the app has stored.
    ///   - acknowledgesAutomatically: Whether messages count as read when the app has them.
    public init(afterSequences: [String: Int] = [:], acknowledgesAutomatically: Bool = true) {
        self.afterSequences = afterSequences
        self.acknowledgesAutomatically = acknowledgesAutomatically
    }
}

/// The gateway's response to a message of the consumer: it is stored.
public struct SentMessage: Sendable, Hashable {
    /// The id of the message.
    public var messageID: String
    /// The number in the conversation.
    public var sequence: Int
}
