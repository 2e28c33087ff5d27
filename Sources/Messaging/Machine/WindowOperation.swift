package import GatewayModel
package import GatewayStorage
package import Telemetry

/// An asynchronous operation of a window; a window runs one at a time.
package enum WindowOperation: Sendable {
    /// Authenticates the token with which the window was opened, and registers the window at the hub.
    case open
    /// Reads the unread counts for `ready`.
    case ready
    /// Reads messages of a conversation.
    case page(ConversationID, afterSequence: Int64)
    /// Moves the read mark.
    case ack(ConversationID, upToSequence: Int64)
    /// Stores a message of the consumer.
    case send(ClientMessage)
    /// Passes the consumer's typing on to its other windows and to waiting back-ends.
    case typing(ConversationID)
    /// Authenticates another token: secret.
    case reauthenticate(token: String)
    /// Checks that the session still exists; the close applies if it does not.
    case recheck(WindowClose)
}

/// The consumer and device of a window, and the expiry of its token.
package struct WindowIdentity: Sendable, Equatable {
    /// The consumer.
    package var consumer: ConsumerName
    /// The device that the window is on, if known.
    package var device: DeviceID?
    /// The expiry of the token.
    package var expiresAt: Timestamp

    /// Creates an identity.
    package init(consumer: ConsumerName, device: DeviceID?, expiresAt: Timestamp) {
        self.consumer = consumer
        self.device = device
        self.expiresAt = expiresAt
    }
}

/// The result of an operation.
package enum WindowResult: Sendable {
    /// The session is valid; for `open` and `reauthenticate`.
    case identified(WindowIdentity)
    /// The window must end.
    case refused(WindowClose)
    /// The unread counts.
    case ready(UnreadCounts)
    /// Messages, in order; nil when the conversation is unknown or another consumer's.
    case page([Message]?)
    /// A message was stored.
    case sent(messageID: MessageID, sequence: Int64)
    /// It succeeded without a result.
    case done
    /// It failed; the window stays open.
    case failed(WindowError.Code, String)
}

/// An action that a window's state machine asks its handler for, in order.
package enum WindowAction: Sendable {
    /// Sends a frame; the handler calls ``WindowMachine/flushed(_:now:)`` when the socket has flushed it.
    case send(ServerFrame)
    /// Sends a ping.
    case ping
    /// Runs an operation; the handler calls ``WindowMachine/completed(_:now:)`` at its end.
    case run(WindowOperation)
    /// Sends a close frame.
    case close(WindowClose)
    /// Responds to the client's close frame and closes the connection.
    case echoClose(code: UInt16?)
    /// Closes the connection without a close frame.
    case cut(WindowCloseLabel)
    /// The window counts as closed from now on: sent once, after one of the three before.
    case leave
}
