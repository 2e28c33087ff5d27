internal import CSimdjson
internal import GatewayModel
internal import TextFormats

/// Validates the members of one event (APIConventions and SendingMessages pages) and collects all errors.
struct EventValidator {
    /// The time that events are compared with.
    let now: Timestamp
    /// The format of the event's text.
    let form: event_form
    /// The errors, with JSON pointers into the body, or the names of headers.
    var problems: [FieldProblem] = []

    /// Returns the event; nil when ``problems`` is not empty.
    mutating func event(_ members: UnsafePointer<event_members>) -> AgentEvent? {
        if form != EVENT_PLAIN { checkEnvelope(members) }
        let type = eventType(members.pointee.type)
        let id = identifier(members.pointee.identifier, "/id", required: true)
        let source = source(members.pointee.source)
        let time = moment(members.pointee.time, "/time")
        // Without `data` nothing else can be validated.
        guard form != EVENT_ENVELOPE || members.pointee.payload == EVENT_VALUE else { return nil }
        let consumer = identifier(members.pointee.consumer, "/consumer", required: true)
        let needsConversation =
            switch type {
            case .conversationResolved, .messagesRead, .agentTyping: true
            case .agentMessage, .proactiveMessage, nil: false
            }
        let conversation = identifier(members.pointee.conversation, "/conversation", required: needsConversation)

        // Placeholders are never returned: without one of the three there is an error, and then no event.
        var event = AgentEvent(
            id: EventID(trusted: id ?? ""),
            type: type ?? .agentTyping,
            consumer: ConsumerID(trusted: consumer ?? "")
        )
        event.conversation = conversation.map { ConversationID(trusted: $0) }
        event.source = source ?? ""
        event.dialog = identifier(members.pointee.dialog, "/dialog", required: false)
        event.sourceSequence = integer(members.pointee.source_sequence, "/sourceSequence", 0...Int64.max)
        readAgent(members, &event)
        readText(members, &event)
        readPresentation(members, &event)
        if let time {
            event.time = clamp(time)
            event.clampedTime = event.time != time
        }
        if type == .proactiveMessage { readProactive(members, &event) }
        if type == .messagesRead { event.readTarget = readTarget(members) }
        guard problems.isEmpty else { return nil }
        event.bodyHash = event_hash(members, time?.milliseconds ?? 0)
        return event
    }

    /// The id of a rejected event, if it is valid enough to be returned.
    func readableID(_ members: UnsafePointer<event_members>) -> String? {
        members.pointee.identifier.string.flatMap { EventID.isValid($0) ? $0 : nil }
    }

    // MARK: Groups of members

    private static let types = EventWords<EventType>()
    private static let priorities = EventWords<PushPriority>()

    private mutating func eventType(_ member: event_text) -> EventType? {
        guard holds(member, "/type", required: true) else { return nil }
        guard let type = Self.types[member] else {
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
        if holds(members.pointee.priority, "/priority", required: false) {
            if let priority = Self.priorities[members.pointee.priority] {
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
            switch BoundedName(text) {
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
        event.consent = identifier(members.pointee.consent_category, "/consentCategory", required: false)
            .map { ConsentRequirement(category: $0) }
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
}
