internal import GatewayModel
internal import GatewayStorage
internal import TextFormats

extension JSONWriter {
    /// Appends a registration (DevicesBadgesTaps page), without its token.
    mutating func registration(_ registration: DeviceRegistration) {
        literal(#"{"deviceId":"#)
        string(registration.device.rawValue)
        member("app", registration.app.rawValue)
        member("consumer", registration.consumer.rawValue)
        member("tokenFingerprint", DeviceToken.fingerprint(registration.token))
        member("pushType", registration.pushType.rawValue)
        member("environment", registration.environment.rawValue)
        member("platform", registration.platform.rawValue)
        member("locale", orNull: registration.locale)
        member("timeZone", orNull: registration.timeZone)
        member("osVersion", orNull: registration.osVersion)
        member("appVersion", orNull: registration.appVersion)
        array("receives", registration.receives.names) { $0.string($1) }
        member("state", registration.state.rawValue)
        member("registeredAt", registration.registeredAt)
        member("createdAt", registration.createdAt)
        member("lastSeenAt", registration.lastSeenAt)
        array("extraTokens", registration.extraTokens) { writer, extra in
            writer.literal(#"{"kind":"#)
            writer.string(extra.kind.rawValue)
            writer.member("tokenFingerprint", DeviceToken.fingerprint(extra.token))
            writer.literal("}")
        }
        literal("}")
    }

    /// Appends the state of a conversation.
    mutating func conversation(_ conversation: ConversationUnread) {
        literal(#"{"id":"#)
        string(conversation.id.rawValue)
        member("unread", conversation.unread)
        member("lastSequence", conversation.lastSequence)
        member("readSequence", conversation.readSequence)
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
            member("nickname", orNull: message.agentNickname)
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
        member("title", message.title)
        if part == nil { member("data", message.data) }
        if message.link != PlatformLinks() {
            literal(#","link":{"ios":"#)
            string(orNull: message.link.ios)
            member("android", orNull: message.link.android)
            member("web", orNull: message.link.web)
            literal("}")
        }
        member("category", message.category)
        member("campaign", message.campaign)
        if let until = message.lookBackUntil { member("lookBackUntil", until) }
        literal(#","silent":"#)
        boolean(message.silent)
        literal(#","sentAt":"#)
        timestamp(message.sentAt)
        literal("}")
    }

    /// Appends the members of a delivery for operators (SendingMessages page), without the braces.
    mutating func deliveryMembers(_ record: DeliveryRecord) {
        // Whole literals: lists and streams have many of these.
        literal(#""id":""#)
        integer(record.id.rawValue)
        literal(#"","messageId":"#)
        identifier(orNull: record.messageID)
        literal(#","consumer":""#)
        escaped(record.consumer.rawValue)
        literal(#"","deviceId":""#)
        escaped(record.device.rawValue)
        literal(#"","app":""#)
        escaped(record.app.rawValue)
        literal(#"","provider":""#)
        escaped(record.provider.rawValue)
        literal(#"","state":""#)
        escaped(record.state.rawValue)
        literal(#"","attempts":"#)
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
        member("sentAt", attempt.sentAt)
        member("status", Int64(attempt.status))
        member("reason", orNull: attempt.reason)
        member("latencyMs", attempt.latencyMilliseconds)
        literal("}")
    }
}
