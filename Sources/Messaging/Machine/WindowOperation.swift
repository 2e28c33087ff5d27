package import GatewayModel
package import GatewayStorage
package import Telemetry

/// What a window asks of the gateway; one at a time for each window.
package enum WindowOperation: Sendable {
    /// Tells the session of the token that the window was opened with, and opens it at the hub.
    case open
    /// Reads the unread counts for `ready`.
    case ready
    /// Reads messages of a conversation.
    case page(ConversationID, afterSequence: Int64)
    /// Moves the read mark.
    case ack(ConversationID, upToSequence: Int64)
    /// Stores a message of the consumer.
    case send(ClientMessage)
    /// Tells the consumer's other windows and waiting back-ends that the consumer types.
    case typing(ConversationID)
    /// Tells the session of another token: secret.
    case reauthenticate(token: String)
    /// Looks whether the session is still there; the end is what it means if it is not.
    case recheck(WindowClose)
}

/// Whose window it is, and for how long.
package struct WindowIdentity: Sendable, Equatable {
    /// The consumer.
    package var consumer: ConsumerName
    /// The device that the window is on, if it is named.
    package var device: DeviceID?
    /// When the token's time is over.
    package var expiresAt: Timestamp

    /// Takes whose window it is.
    ///
    /// - Parameters:
    ///   - consumer: The consumer.
    ///   - device: The device that the window is on.
    ///   - expiresAt: When the token's time is over.
    package init(consumer: ConsumerName, device: DeviceID?, expiresAt: Timestamp) {
        self.consumer = consumer
        self.device = device
        self.expiresAt = expiresAt
    }
}

/// How an operation went.
package enum WindowResult: Sendable {
    /// The session is good; for `open` and `reauthenticate`.
    case identified(WindowIdentity)
    /// The window must end.
    case refused(WindowClose)
    /// The unread counts.
    case ready(UnreadCounts)
    /// Messages, in order; nil when the conversation is unknown or another consumer's.
    case page([Message]?)
    /// A message was stored.
    case sent(messageID: MessageID, sequence: Int64)
    /// It is done and there is nothing to say.
    case done
    /// It was not done; the window stays open.
    case failed(WindowError.Code, String)
}

/// What a window's machine asks its shell to do, in order.
package enum WindowAction: Sendable {
    /// Sends a frame; the shell reports with ``WindowMachine/flushed(_:now:)`` when the socket has taken it.
    case send(ServerFrame)
    /// Sends a ping.
    case ping
    /// Runs an operation; the shell reports with ``WindowMachine/completed(_:now:)``.
    case run(WindowOperation)
    /// Sends a close frame.
    case close(WindowClose)
    /// Answers the client's close frame and ends the connection.
    case answerClose(code: UInt16?)
    /// Ends the connection as it is.
    case cut(WindowCloseLabel)
    /// The window counts as closed from now on: comes once, after one of the three before.
    case leave
}
