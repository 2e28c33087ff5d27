package import GatewayModel
package import GatewayStorage

/// A frame of the gateway in a window.
package enum ServerFrame: Sendable {
    /// The window is open.
    case ready(UnreadCounts)
    /// A message.
    case message(Message)
    /// A conversation was read.
    case read(ConversationID, upToSequence: Int64, unread: Int64)
    /// A conversation was resolved.
    case resolved(ConversationID, byConsumer: Bool)
    /// The agent or the consumer types.
    case typing(ConversationID, byConsumer: Bool)
    /// A message of this window was stored.
    case sent(clientID: ClientID, messageID: MessageID, sequence: Int64)
    /// A frame of the client had no effect.
    case error(WindowError)
    /// The time, for LivePerson's clients; the id is that of the request.
    case clock(id: String, at: Timestamp)
    /// The token expires soon.
    case tokenExpiring(inSeconds: Int64)
    /// The gateway closes the window, without an error of the client's.
    case bye(reason: String)
}

/// The error for a client's frame that had no effect; the window stays open.
package struct WindowError: Error, Sendable, Equatable {
    /// A stable error code, one of those of HTTP problems.
    package enum Code: String, Sendable {
        /// The type is unknown, or a member is wrong.
        case invalidRequest = "invalid_request"
        /// The thing does not exist, or belongs to another consumer.
        case notFound = "not_found"
        /// The state does not allow it.
        case conflict
        /// It existed and was removed.
        case gone
        /// The session exceeded a rate limit.
        case rateLimited = "rate_limited"
        /// The gateway cannot do it now.
        case overloaded
        /// An error of the gateway.
        case `internal`
    }

    /// The error code.
    package var code: Code
    /// A sentence for people, without anything secret.
    package var detail: String
    /// The frame that it refers to: the `clientId` of a `send`, else the `type`; nil when neither is known.
    package var ref: String?

    /// Creates an error.
    package init(_ code: Code, _ detail: String, ref: String?) {
        self.code = code
        self.detail = detail
        self.ref = ref
    }
}
