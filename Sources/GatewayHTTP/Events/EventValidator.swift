internal import CSimdjson
internal import GatewayModel

/// Checks the members of one event (`http-api.md` sections 1 and 3) and collects everything that is wrong with them.
struct EventValidator {
    /// What is wrong, with JSON pointers.
    private(set) var problems: [FieldProblem] = []
    private let now: Timestamp

    init(now: Timestamp) { self.now = now }

    /// The event; nil when ``problems`` says why not.
    mutating func event(_ members: UnsafePointer<event_members>, bodyHash: UInt64) -> AgentEvent? {
        let type = eventType(members.pointee.type)
        let id = identifier(members.pointee.identifier, "/id", required: true)
        let consumer = identifier(members.pointee.consumer, "/consumer", required: true)
        let needsConversation =
            switch type {
            case .conversationResolved, .messagesRead, .agentTyping: true
            case .agentMessage, .proactiveMessage, nil: false
            }
        let conversation = identifier(members.pointee.conversation, "/conversation", required: needsConversation)

        // Placeholders never get out: without one of the three there is a problem, and then no event.
        var event = AgentEvent(
            id: EventID(trusted: id ?? ""),
            type: type ?? .agentTyping,
            consumer: ConsumerID(trusted: consumer ?? "")
        )
        event.conversation = conversation.map { ConversationID(trusted: $0) }
        event.source = line(members.pointee.source, "/source", atMost: EventLimits.sourceBytes, orEmpty: true) ?? ""
        event.dialog = identifier(members.pointee.dialog, "/dialog", required: false)
        event.sourceSequence = integer(members.pointee.source_sequence, "/sourceSequence", 0...Int64.max)
        readAgent(members, &event)
        readText(members, &event)
        readPresentation(members, &event)
        if let time = moment(members.pointee.time, "/time") {
            event.time = clamp(time)
            event.clampedTime = event.time != time
        }
        if type == .proactiveMessage { readProactive(members, &event) }
        if type == .messagesRead { event.readTarget = readTarget(members) }
        event.bodyHash = bodyHash
        return problems.isEmpty ? event : nil
    }

    /// The id of an event that was refused, if it can be shown.
    func readableID(_ members: UnsafePointer<event_members>) -> String? {
        members.pointee.identifier.string.flatMap { EventID.isValid($0) ? $0 : nil }
    }

    // MARK: Groups of members

    private mutating func eventType(_ member: event_text) -> EventType? {
        guard let text = present(member, "/type", required: true) else { return nil }
        guard let type = EventType(rawValue: text) else {
            problem("/type", "must be one of " + EventType.allCases.map(\.rawValue).joined(separator: ", "))
            return nil
        }
        return type
    }

    private mutating func readAgent(_ members: UnsafePointer<event_members>, _ event: inout AgentEvent) {
        guard members.pointee.agent != EVENT_WRONG_TYPE else { return problem("/agent", "must be an object") }
        event.agentID = identifier(members.pointee.agent_identifier, "/agent/id", required: false)
        event.agentNickname = line(members.pointee.agent_nickname, "/agent/nickname", atMost: EventLimits.titleBytes)
    }

    private mutating func readText(_ members: UnsafePointer<event_members>, _ event: inout AgentEvent) {
        let isMessage = event.type == .agentMessage || event.type == .proactiveMessage
        let text = content(members.pointee.text, "/text", atMost: EventLimits.textBytes, required: isMessage)
        if isMessage { event.text = text ?? "" }
    }

    private mutating func readPresentation(_ members: UnsafePointer<event_members>, _ event: inout AgentEvent) {
        event.title = content(members.pointee.title, "/title", atMost: EventLimits.titleBytes, required: false)
        event.data = data(members.pointee.data)
        if members.pointee.link == EVENT_WRONG_TYPE {
            problem("/link", "must be an object")
        } else if members.pointee.link == EVENT_VALUE {
            event.link.ios = link(members.pointee.link_ios, "/link/ios")
            event.link.android = link(members.pointee.link_android, "/link/android")
            event.link.web = link(members.pointee.link_web, "/link/web")
        }
        if let text = present(members.pointee.priority, "/priority", required: false) {
            if let priority = PushPriority(rawValue: text) {
                event.priority = priority
            } else {
                problem("/priority", "must be high or normal")
            }
        }
        event.ttlSeconds = integer(members.pointee.ttl_seconds, "/ttlSeconds", EventLimits.ttlSeconds)
        event.collapseKey = line(
            members.pointee.collapse_key,
            "/collapseKey",
            atMost: EventLimits.collapseKeyBytes
        )
        event.category = line(members.pointee.category, "/category", atMost: EventLimits.nameBytes)
        event.sound = line(members.pointee.sound, "/sound", atMost: EventLimits.nameBytes)
        switch members.pointee.silent.shape {
        case EVENT_VALUE: event.silent = members.pointee.silent.value
        case EVENT_WRONG_TYPE: problem("/silent", "must be true or false")
        default: break
        }
    }

    private mutating func readProactive(_ members: UnsafePointer<event_members>, _ event: inout AgentEvent) {
        if let text = present(members.pointee.kind, "/kind", required: true) {
            switch text {
            case "proactive": event.kind = .proactive
            case "c2m": event.kind = .c2m
            default: problem("/kind", "must be proactive or c2m")
            }
        }
        event.lookBackSeconds = integer(
            members.pointee.look_back_seconds,
            "/lookBackSeconds",
            EventLimits.lookBackSeconds
        )
        event.campaign = identifier(members.pointee.campaign, "/campaign", required: false)
    }

    private mutating func readTarget(_ members: UnsafePointer<event_members>) -> ReadTarget? {
        let before = problems.count
        var targets: [ReadTarget] = []
        if let sequence = integer(members.pointee.up_to_sequence, "/upToSequence", 0...Int64.max) {
            targets.append(.sequence(sequence))
        }
        if let sequence = integer(members.pointee.up_to_source_sequence, "/upToSourceSequence", 0...Int64.max) {
            targets.append(.sourceSequence(sequence))
        }
        if let text = present(members.pointee.up_to_message, "/upToMessageId", required: false) {
            if let id = MessageID(text) {
                targets.append(.message(id))
            } else {
                problem("/upToMessageId", "must be a UUID")
            }
        }
        guard problems.count == before else { return nil }
        guard targets.count == 1 else {
            problem("/upToSequence", "exactly one of upToSequence, upToSourceSequence, upToMessageId is required")
            return nil
        }
        return targets[0]
    }

    private func clamp(_ time: Timestamp) -> Timestamp {
        let oldest = now.adding(milliseconds: -EventLimits.oldestMilliseconds)
        let newest = now.adding(milliseconds: EventLimits.newestMilliseconds)
        return min(max(time, oldest), newest)
    }

    // MARK: Single members

    private mutating func problem(_ pointer: StaticString, _ detail: String) {
        problems.append(FieldProblem(pointer: pointer.description, detail: detail))
    }

    /// The text of a member; nil when it is absent, null, or wrong.
    private mutating func present(_ member: event_text, _ pointer: StaticString, required: Bool) -> String? {
        guard holds(member, pointer, required: required) else { return nil }
        return member.string
    }

    /// Whether a member holds a string; says what is wrong otherwise.
    private mutating func holds(_ member: event_text, _ pointer: StaticString, required: Bool) -> Bool {
        switch member.shape {
        case EVENT_VALUE: return true
        case EVENT_WRONG_TYPE: problem(pointer, "must be a string")
        default: if required { problem(pointer, "is required") }
        }
        return false
    }

    private mutating func identifier(_ member: event_text, _ pointer: StaticString, required: Bool) -> String? {
        guard holds(member, pointer, required: required) else { return nil }
        guard member.count >= 1, member.count <= EventLimits.identifierBytes, !member.hasControls else {
            problem(pointer, "must be 1 to \(EventLimits.identifierBytes) bytes without control characters")
            return nil
        }
        return member.string
    }

    /// A short text of one line.
    private mutating func line(
        _ member: event_text,
        _ pointer: StaticString,
        atMost limit: Int,
        orEmpty: Bool = false
    ) -> String? {
        guard holds(member, pointer, required: false) else { return nil }
        guard member.count >= (orEmpty ? 0 : 1), member.count <= limit, !member.hasControls else {
            problem(pointer, "must be \(orEmpty ? 0 : 1) to \(limit) bytes without control characters")
            return nil
        }
        return member.string
    }

    /// A text that people read: of any characters but U+0000, which not every store can hold.
    private mutating func content(
        _ member: event_text,
        _ pointer: StaticString,
        atMost limit: Int,
        required: Bool
    ) -> String? {
        guard holds(member, pointer, required: required) else { return nil }
        guard member.count <= limit, member.count > 0 || !required else {
            problem(pointer, "must be \(required ? 1 : 0) to \(limit) bytes")
            return nil
        }
        guard !member.hasNull else {
            problem(pointer, "must not hold U+0000")
            return nil
        }
        return member.count > 0 ? member.string : nil
    }

    private mutating func data(_ member: event_text) -> JSONText? {
        switch member.shape {
        case EVENT_VALUE:
            guard member.count <= EventLimits.dataBytes else {
                problem("/data", "must be at most \(EventLimits.dataBytes) bytes")
                return nil
            }
            return member.string.map { JSONText(trusted: $0) }
        case EVENT_WRONG_TYPE: problem("/data", "must be an object")
        default: break
        }
        return nil
    }

    private mutating func link(_ member: event_text, _ pointer: StaticString) -> String? {
        guard holds(member, pointer, required: false) else { return nil }
        guard let text = member.string, member.count <= EventLimits.linkBytes, LinkText.isValid(text) else {
            problem(pointer, "must be a link with https or an app's own scheme, at most \(EventLimits.linkBytes) bytes")
            return nil
        }
        return text
    }

    private mutating func integer(
        _ member: event_integer,
        _ pointer: StaticString,
        _ range: ClosedRange<Int64>
    ) -> Int64? {
        switch member.shape {
        case EVENT_VALUE:
            if range.contains(member.value) { return member.value }
            let most = range.upperBound == Int64.max ? "or more" : "to \(range.upperBound)"
            problem(pointer, "must be \(range.lowerBound) \(most)")
        case EVENT_WRONG_TYPE: problem(pointer, "must be a whole number")
        default: break
        }
        return nil
    }

    private mutating func moment(_ member: event_text, _ pointer: StaticString) -> Timestamp? {
        guard let text = present(member, pointer, required: false) else { return nil }
        guard let time = Timestamp(rfc3339: text) else {
            problem(pointer, "must be an RFC 3339 date-time")
            return nil
        }
        return time
    }
}

extension event_text {
    /// Whether the text holds a control character: C0, DEL, or C1 (C2 80 to C2 9F in UTF-8).
    fileprivate var hasControls: Bool {
        var previous: UInt8 = 0
        for byte in UnsafeBufferPointer(start: bytes, count: count) {
            if byte < 0x20 || byte == 0x7F || (previous == 0xC2 && byte < 0xA0) { return true }
            previous = byte
        }
        return false
    }

    /// Whether the text holds U+0000.
    fileprivate var hasNull: Bool { UnsafeBufferPointer(start: bytes, count: count).contains(0) }
}
