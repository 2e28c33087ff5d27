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

    /// The values that are read of a body.
    ///
    /// A change of a conversation's status is the conversation itself.
    static let selection = StrictJSON.Selection([
        "/event", "/status", "/is_private", "/private", "/message_type", "/content", "/attachments", "/created_at",
        "/sender/type", "/sender/id", "/sender/name", "/user/type",
        "/conversation/id", "/conversation/meta/sender/identifier", "/id", "/meta/sender/identifier",
    ])

    /// Translates a webhook.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - id: The id of the event.
    ///   - hook: The webhook, which is the source of the event and names its conversation.
    /// - Returns: The event, not validated.
    static func translate(_ body: StrictJSON, id: String, hook: HookID) -> HookTranslation {
        switch body["event"].text.flatMap({ BoundedName($0) }) {
        case "message_created": message(body, id, hook)
        case "conversation_status_changed":
            body["status"].text?.hasSameBytes(as: "resolved") ?? false
                ? event("conversation.resolved", of: body, id, hook) : .ignored(.notResolved)
        case "conversation_typing_on":
            if body["is_private"] == .bool(true) {
                .ignored(.privateNote)
            } else if isAgent(body["user"]) {
                event("agent.typing", of: body["conversation"], id, hook)
            } else {
                .ignored(.notAgent)
            }
        default: .ignored(.eventNotUsed)
        }
    }

    private static func message(_ body: StrictJSON, _ id: String, _ hook: HookID) -> HookTranslation {
        // A number in some versions.
        let type = body["message_type"]
        guard type == .string("outgoing") || type == .integer(1) else { return .ignored(.notOutgoing) }
        guard body["private"] == .bool(false) else { return .ignored(.privateNote) }
        guard let text = text(of: body) else { return .ignored(.noText) }
        let translation = event("agent.message", of: body["conversation"], id, hook)
        guard case .event(var members, let missing) = translation else { return translation }
        members["text"] = .string(text.cut(to: EventLimits.textBytes))
        var agent = StrictJSON.Members()
        let sender = body["sender"]
        if isAgent(sender) {
            agent["id"] = identifier(sender["id"])
            let name = sender["name"].text.flatMap { $0.isEmpty ? nil : $0 }
            agent["nickname"] = name.map { .string($0.cut(to: EventLimits.titleBytes)) }
        }
        if !agent.isEmpty { members["agent"] = .object(agent) }
        if let time = body["created_at"].text.flatMap({ Timestamp(rfc3339: $0) }) {
            members["time"] = .string(time.rfc3339)
        }
        return .event(members, missing: missing)
    }

    /// Returns the members that all events have.
    private static func event(
        _ type: String,
        of conversation: StrictJSON,
        _ id: String,
        _ hook: HookID
    ) -> HookTranslation {
        guard let consumer = identifier(conversation["meta"]["sender"]["identifier"]) else {
            return .ignored(.noIdentity)
        }
        var members = StrictJSON.Members()
        members.reserveCapacity(8)
        members["id"] = .string(id)
        members["type"] = .string(type)
        members["source"] = .string(hook.source)
        members["consumer"] = consumer
        members["conversation"] = identifier(conversation["id"])?.text.map { .string(hook.conversation($0)) }
        return .event(members, missing: [])
    }

    private static func text(of message: StrictJSON) -> String? {
        if let content = message["content"].text, !content.isEmpty { return content }
        guard case .array(let attachments) = message["attachments"] else { return nil }
        let names = attachments.prefix(maxAttachments).map { "[\($0["file_type"].text ?? "file")]" }
        return names.isEmpty ? nil : names.joined(separator: " ")
    }

    private static func isAgent(_ sender: StrictJSON) -> Bool {
        let type = sender["type"]
        return type == .string("user") || type == .string("agent_bot")
    }

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
