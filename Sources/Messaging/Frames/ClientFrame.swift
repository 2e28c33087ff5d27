package import GatewayModel

/// What a client says in a window, read and checked.
package enum ClientFrame: Sendable {
    /// Asks for what came after the sequences.
    case resume([Resumption])
    /// Says that messages were downloaded and shown.
    case ack(ConversationID, upToSequence: Int64)
    /// A message to the agent.
    case send(ClientMessage)
    /// The consumer types.
    case typing(ConversationID)
    /// Shows a new token, so that the window stays open: secret.
    case reauthenticate(token: String)
    /// An object that says nothing we know, or says it wrong.
    case wrong(WindowError)

    /// Where a client was in a conversation.
    package struct Resumption: Sendable, Equatable {
        /// The conversation.
        package var conversation: ConversationID
        /// The last sequence that the client has.
        package var afterSequence: Int64

        /// Takes where a client was.
        ///
        /// - Parameters:
        ///   - conversation: The conversation.
        ///   - afterSequence: The last sequence that the client has.
        package init(conversation: ConversationID, afterSequence: Int64) {
            self.conversation = conversation
            self.afterSequence = afterSequence
        }
    }
}

/// A consumer's message as a window sent it, checked.
package struct ClientMessage: Sendable, Equatable {
    /// The client's own name for it; a repetition means the same message.
    package var clientID: ClientID
    /// The conversation.
    package var conversation: ConversationID
    /// The text.
    package var text: String
    /// A JSON object for the agent's side.
    package var data: JSONText?

    /// Takes a message.
    ///
    /// - Parameters:
    ///   - clientID: The client's own name for it.
    ///   - conversation: The conversation.
    ///   - text: The text.
    ///   - data: A JSON object for the agent's side.
    package init(clientID: ClientID, conversation: ConversationID, text: String, data: JSONText?) {
        self.clientID = clientID
        self.conversation = conversation
        self.text = text
        self.data = data
    }
}
