internal import GatewayModel
internal import TextFormats

/// Translates Chatwoot's webhooks.
///
/// Facts are those of its user guide ("Webhook events") and of the presenters in its repository (`webhook_data` of
/// `app/models/message.rb`, `user.rb` and `contact.rb`, `app/presenters/conversations/event_data_presenter.rb`,
/// `app/listeners/webhook_listener.rb`): `meta.sender` of a conversation is its contact, and `id` its number in the
/// account; only agents and bots have a `type` as `user`.
enum ChatwootTranslation {
    /// The maximum number of attachments that are named in a text.
    private static let maxAttachments = 4

    /// A value that is read of a body.
    ///
    /// A change of a conversation's status is the conversation itself.
    private enum Place: Int, CaseIterable {
        case event, status, isPrivateTyping, isPrivate, messageType, content, attachments, createdAt
        case senderType, senderID, senderName, userType
        case conversationID, conversationContact, ownID, ownContact

        var pointer: String {
            switch self {
            case .event: "/event"
            case .status: "/status"
            case .isPrivateTyping: "/is_private"
            case .isPrivate: "/private"
            case .messageType: "/message_type"
            case .content: "/content"
            case .attachments: "/attachments"
            case .createdAt: "/created_at"
            case .senderType: "/sender/type"
            case .senderID: "/sender/id"
            case .senderName: "/sender/name"
            case .userType: "/user/type"
            case .conversationID: "/conversation/id"
            case .conversationContact: "/conversation/meta/sender/identifier"
            case .ownID: "/id"
            case .ownContact: "/meta/sender/identifier"
            }
        }
    }

    /// The values of a body.
    private struct Body {
        let values: [StrictJSON?]

        subscript(_ place: Place) -> StrictJSON { values[place.rawValue] ?? .null }
    }

    /// The values that are read of a body.
    static let selection = StrictJSON.Selection(Place.allCases.map(\.pointer))

    /// Translates a webhook.
    ///
    /// - Parameters:
    ///   - values: The values of ``selection`` in the body.
    ///   - id: The id of the event.
    ///   - hook: The webhook, which names the event's conversation.
    ///   - source: The source of the event.
    /// - Returns: The event, not validated.
    static func translate(_ values: [StrictJSON?], id: String, hook: HookID, source: String) -> HookTranslation {
        let body = Body(values: values)
        var type = "agent.message"
        var text: String?
        var (conversation, contact) = (body[.conversationID], body[.conversationContact])
        switch body[.event].text.flatMap({ BoundedName($0) }) {
        case "message_created":
            // A number in some versions.
            let direction = body[.messageType]
            guard direction == .string("outgoing") || direction == .integer(1) else { return .ignored(.notOutgoing) }
            guard body[.isPrivate] == .bool(false) else { return .ignored(.privateNote) }
            text = self.text(of: body)
            guard text != nil else { return .ignored(.noText) }
        case "conversation_status_changed":
            guard body[.status] == .string("resolved") else { return .ignored(.notResolved) }
            type = "conversation.resolved"
            (conversation, contact) = (body[.ownID], body[.ownContact])
        case "conversation_typing_on":
            guard body[.isPrivateTyping] != .bool(true) else { return .ignored(.privateNote) }
            guard isAgent(body[.userType]) else { return .ignored(.notAgent) }
            type = "agent.typing"
        default: return .ignored(.eventNotUsed)
        }
        guard let consumer = identifier(contact) else { return .ignored(.noIdentity) }
        var members = StrictJSON.Members()
        members.reserveCapacity(8)
        members["id"] = .string(id)
        members["type"] = .string(type)
        members["source"] = .string(source)
        members["consumer"] = consumer
        members["conversation"] = identifier(conversation)?.text.map { .string(hook.conversation($0)) }
        if let text { add(text, of: body, to: &members) }
        return .event(members, missing: [])
    }

    /// Adds what only messages have.
    private static func add(_ text: String, of body: Body, to members: inout StrictJSON.Members) {
        members["text"] = .string(text.cut(to: EventLimits.textBytes))
        if isAgent(body[.senderType]) {
            var agent = StrictJSON.Members()
            agent["id"] = identifier(body[.senderID])
            let name = body[.senderName].text.flatMap { $0.isEmpty ? nil : $0 }
            agent["nickname"] = name.map { .string($0.cut(to: EventLimits.titleBytes)) }
            if !agent.isEmpty { members["agent"] = .object(agent) }
        }
        let time = body[.createdAt]
        if time.text.flatMap({ Timestamp(rfc3339: $0) }) != nil { members["time"] = time }
    }

    private static func text(of message: Body) -> String? {
        if let content = message[.content].text, !content.isEmpty { return content }
        guard case .array(let attachments) = message[.attachments] else { return nil }
        let names = attachments.prefix(maxAttachments).map { "[\($0["file_type"].text ?? "file")]" }
        return names.isEmpty ? nil : names.joined(separator: " ")
    }

    private static func isAgent(_ type: StrictJSON) -> Bool { type == .string("user") || type == .string("agent_bot") }

    /// Returns an id as text; nil for anything but a text or a number.
    private static func identifier(_ value: StrictJSON) -> StrictJSON? {
        switch value {
        case .string(let text): text.isEmpty ? nil : value
        case .integer(let number): .string(String(number))
        default: nil
        }
    }
}

extension String {
    /// Returns the text, cut at a Unicode scalar with an ellipsis if it is longer than a number of bytes.
    fileprivate func cut(to bytes: Int) -> String {
        guard utf8.count > bytes else { return self }
        var end = utf8.index(startIndex, offsetBy: bytes - 3)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end]) + "\u{2026}"
    }
}
