internal import GatewayModel
internal import GatewayStorage
internal import TextFormats

extension JSONWriter {
    /// Appends a registration (DevicesBadgesTaps page), without its token.
    mutating func registration(_ registration: DeviceRegistration) {
        literal(#"{"deviceId":"#)
        string(registration.device.rawValue)
        literal(#","app":"#)
        string(registration.app.rawValue)
        literal(#","consumer":"#)
        string(registration.consumer.rawValue)
        literal(#","tokenFingerprint":"#)
        string(DeviceToken.fingerprint(registration.token))
        literal(#","pushType":"#)
        string(registration.pushType.rawValue)
        literal(#","environment":"#)
        string(registration.environment.rawValue)
        literal(#","platform":"#)
        string(registration.platform.rawValue)
        literal(#","locale":"#)
        string(orNull: registration.locale)
        literal(#","timeZone":"#)
        string(orNull: registration.timeZone)
        literal(#","osVersion":"#)
        string(orNull: registration.osVersion)
        literal(#","appVersion":"#)
        string(orNull: registration.appVersion)
        literal(#","receives":["#)
        for (index, name) in registration.receives.names.enumerated() {
            if index > 0 { literal(",") }
            string(name)
        }
        literal(#"],"state":"#)
        string(registration.state.rawValue)
        literal(#","registeredAt":"#)
        timestamp(registration.registeredAt)
        literal(#","createdAt":"#)
        timestamp(registration.createdAt)
        literal(#","lastSeenAt":"#)
        timestamp(registration.lastSeenAt)
        literal(#","extraTokens":["#)
        for (index, extra) in registration.extraTokens.enumerated() {
            literal(index > 0 ? #",{"kind":"# : #"{"kind":"#)
            string(extra.kind.rawValue)
            literal(#","tokenFingerprint":"#)
            string(DeviceToken.fingerprint(extra.token))
            literal("}")
        }
        literal("]}")
    }

    /// Appends the state of a conversation.
    mutating func conversation(_ conversation: ConversationUnread) {
        literal(#"{"id":"#)
        string(conversation.id.rawValue)
        literal(#","unread":"#)
        integer(conversation.unread)
        literal(#","lastSequence":"#)
        integer(conversation.lastSequence)
        literal(#","readSequence":"#)
        integer(conversation.readSequence)
        literal("}")
    }

    /// Appends a message as devices download it: the members of the window's `message` frame (MessagingWindow page),
    /// and the content of its push.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - isFrame: Whether it is a frame of a window.
    ///   - part: The beginning of its text when it must be shortened, without its data and with `truncated`; nil writes
    ///     the whole message.
    mutating func message(_ message: Message, isFrame: Bool = false, shortenedTo part: Substring? = nil) {
        literal(isFrame ? #"{"type":"message","messageId":""# : #"{"messageId":""#)
        identifier(message.id)
        literal(#"","conversation":"#)
        string(message.conversation.rawValue)
        literal(#","dialog":"#)
        string(orNull: message.dialog)
        literal(#","sequence":"#)
        integer(message.sequence)
        literal(#","sourceSequence":"#)
        integer(orNull: message.sourceSequence)
        literal(message.kind == .consumer ? #","from":"consumer","kind":"# : #","from":"agent","kind":"#)
        string(message.kind.rawValue)
        if message.agentID != nil || message.agentNickname != nil {
            literal(#","agent":{"id":"#)
            string(orNull: message.agentID)
            literal(#","nickname":"#)
            string(orNull: message.agentNickname)
            literal("}")
        }
        if let part {
            literal(#","text":""#)
            escaped(part)
            if part.utf8.count < message.text.utf8.count { literal("…") }
            literal(#"","truncated":true"#)
        } else {
            literal(#","text":"#)
            string(message.text)
        }
        if let title = message.title {
            literal(#","title":"#)
            string(title)
        }
        if part == nil, let data = message.data {
            literal(#","data":"#)
            value(data)
        }
        if message.link != PlatformLinks() {
            literal(#","link":{"ios":"#)
            string(orNull: message.link.ios)
            literal(#","android":"#)
            string(orNull: message.link.android)
            literal(#","web":"#)
            string(orNull: message.link.web)
            literal("}")
        }
        if let category = message.category {
            literal(#","category":"#)
            string(category)
        }
        if let campaign = message.campaign {
            literal(#","campaign":"#)
            string(campaign)
        }
        if let until = message.lookBackUntil {
            literal(#","lookBackUntil":"#)
            timestamp(until)
        }
        literal(#","silent":"#)
        boolean(message.silent)
        literal(#","sentAt":"#)
        timestamp(message.sentAt)
        literal("}")
    }

    /// Appends the members of a delivery for operators (SendingMessages page), without the braces.
    mutating func deliveryMembers(_ record: DeliveryRecord) {
        literal(#""id":"#)
        string(record.id.description)
        literal(#","messageId":"#)
        identifier(orNull: record.messageID)
        literal(#","consumer":"#)
        string(record.consumer.rawValue)
        literal(#","deviceId":"#)
        string(record.device.rawValue)
        literal(#","app":"#)
        string(record.app.rawValue)
        literal(#","provider":"#)
        string(record.provider.rawValue)
        literal(#","state":"#)
        string(record.state.rawValue)
        literal(#","attempts":"#)
        integer(Int64(record.attempts))
        literal(#","providerId":"#)
        string(orNull: record.providerID)
        literal(#","status":"#)
        integer(orNull: record.status.map { Int64($0) })
        literal(#","reason":"#)
        string(orNull: record.reason)
        literal(#","queuedAt":"#)
        timestamp(record.queuedAt)
        literal(#","sentAt":"#)
        timestamp(orNull: record.sentAt)
        literal(#","latencyMs":"#)
        integer(orNull: record.latencyMilliseconds)
        literal(#","tappedAt":"#)
        timestamp(orNull: record.tappedAt)
        literal(#","badge":"#)
        integer(orNull: record.badge)
        literal(#","suppressedBy":"#)
        string(orNull: record.suppressedBy?.rawValue)
    }

    /// Appends one attempt of a delivery.
    mutating func attempt(_ attempt: DeliveryAttempt) {
        literal(#"{"number":"#)
        integer(Int64(attempt.number))
        literal(#","sentAt":"#)
        timestamp(attempt.sentAt)
        literal(#","status":"#)
        integer(Int64(attempt.status))
        literal(#","reason":"#)
        string(orNull: attempt.reason)
        literal(#","latencyMs":"#)
        integer(attempt.latencyMilliseconds)
        literal("}")
    }
}
