package import GatewayModel
package import GatewayStorage

/// What the gateway says in a window.
package enum ServerFrame: Sendable {
    /// The window is open.
    case ready(UnreadCounts)
    /// A message.
    case message(Message)
    /// A conversation was read.
    case read(ConversationID, upToSequence: Int64, unread: Int64)
    /// A conversation was resolved.
    case resolved(ConversationID, byConsumer: Bool)
    /// Somebody types.
    case typing(ConversationID, byConsumer: Bool)
    /// A message of this window was stored.
    case sent(clientID: ClientID, messageID: MessageID, sequence: Int64)
    /// Something that the client sent was not done.
    case error(WindowError)
    /// The token's time will soon be over.
    case tokenExpiring(inSeconds: Int64)
    /// The gateway closes the window, for no fault of the client's.
    case bye(reason: String)
}

/// Why something that a client sent was not done; the window stays open.
package struct WindowError: Error, Sendable, Equatable {
    /// A stable word, of those that HTTP answers have too.
    package enum Code: String, Sendable {
        /// The type is unknown, or a member is wrong.
        case invalidRequest = "invalid_request"
        /// There is no such thing, or it is another consumer's.
        case notFound = "not_found"
        /// The state does not allow it.
        case conflict
        /// It was there, and has been removed.
        case gone
        /// The session asks for too much.
        case rateLimited = "rate_limited"
        /// The gateway cannot do it now.
        case overloaded
        /// A fault of the gateway.
        case `internal`
    }

    /// The word.
    package var code: Code
    /// A sentence for people.
    package var detail: String
    /// What it answers: the `clientId` of a `send`, else the `type`; nil when that is not known.
    package var ref: String?

    /// Takes what went wrong.
    ///
    /// - Parameters:
    ///   - code: The word.
    ///   - detail: A sentence for people, without anything secret.
    ///   - ref: What it answers.
    package init(_ code: Code, _ detail: String, ref: String?) {
        self.code = code
        self.detail = detail
        self.ref = ref
    }
}
