package import GatewayModel

/// A frame of a client in a window, parsed and checked.
package enum ClientFrame: Sendable {
    /// Requests the messages after the sequences.
    case resume([Resumption])
    /// Acknowledges that messages were downloaded and shown.
    case ack(ConversationID, upToSequence: Int64)
    /// A message to the agent.
    case send(ClientMessage)
    /// The consumer types.
    case typing(ConversationID)
    /// Sends a new token, so that the window stays open: secret.
    case reauthenticate(token: String)
    /// Asks for the time, as LivePerson's clients do to keep the connection alive; the id is the client's.
    case clock(id: String)
    /// A JSON object of an unknown type or with a wrong member.
    case wrong(WindowError)

    /// A client's position in a conversation.
    package struct Resumption: Sendable, Equatable {
        /// The conversation.
        package var conversation: ConversationID
        /// The last sequence that the client has.
        package var afterSequence: Int64

        /// Creates a position.
        package init(conversation: ConversationID, afterSequence: Int64) {
            self.conversation = conversation
            self.afterSequence = afterSequence
        }
    }
}

/// A consumer's message from a window, checked.
package struct ClientMessage: Sendable, Equatable {
    /// The client's id for it; a repeated id means the same message.
    package var clientID: ClientID
    /// The conversation.
    package var conversation: ConversationID
    /// The text.
    package var text: String
    /// A JSON object for the agent's side.
    package var data: JSONText?

    /// Creates a message.
    package init(clientID: ClientID, conversation: ConversationID, text: String, data: JSONText?) {
        self.clientID = clientID
        self.conversation = conversation
        self.text = text
        self.data = data
    }
}
