internal import CSimdjson
internal import GatewayModel
internal import TextFormats

extension EventReader {
    /// Validates an event of members that were not received as one text, by the same rules.
    ///
    /// - Parameters:
    ///   - members: The members.
    ///   - now: The time that the event is compared with.
    /// - Returns: The event.
    /// - Throws: `Problem` 400 and 422 when it is not valid, 413 when it is too long, 503 when there is no memory for a
    ///   parser.
    func event(of members: StrictJSON.Members, now: Timestamp) throws(Problem) -> AgentEvent {
        let given = GivenMembers(members)
        guard given.bytes <= EventParser.maxEventBytes else { throw EventParseError.tooLarge }
        return try parsers.withParser { parser throws(Problem) in
            let result = given.withMembers(of: parser) { status -> Result<AgentEvent, Problem> in
                guard status == EVENT_READ else {
                    return .failure(EventParseError(status: status, members: parser.members).problem)
                }
                var validator = EventValidator(now: now, form: EVENT_PLAIN)
                guard let event = validator.event(parser.members) else {
                    return .failure(Problem(invalid: validator.problems))
                }
                return .success(event)
            }
            return try result.get()
        }
    }
}

/// The members of an event: strings, whole numbers, truth values and null reach the validator as they are, and only what is
/// left as JSON text.
private struct GivenMembers {
    /// The number of bytes of all texts.
    private(set) var bytes = 0
    private let all: StrictJSON.Members
    /// The text of an object of the members that must be parsed; empty without these.
    private var text: [UInt8] = []

    init(_ members: StrictJSON.Members) {
        all = members
        var others = StrictJSON.Members()
        for (name, value) in members {
            if let inner = Self.level(name, value)?.members {
                for (_, value) in inner { bytes += value.text?.utf8.count ?? 0 }
            } else if value.isSimple {
                bytes += value.text?.utf8.count ?? 0
            } else {
                others[name] = value
            }
        }
        guard !others.isEmpty else { return }
        text = StrictJSON.object(others).sortedText
        bytes += text.count
    }

    /// Returns the members of an object that are set one by one; nil for every other value.
    private static func level(
        _ name: BoundedName,
        _ value: StrictJSON
    ) -> (level: event_level, members: StrictJSON.Members)? {
        guard case .object(let members) = value, name == "agent" || name == "link" else { return nil }
        for (_, value) in members where !value.isSimple { return nil }
        return (name == "agent" ? EVENT_AGENT : EVENT_LINK, members)
    }

    /// Sets the members of a parser for the duration of a call, and passes the parser's status to it.
    func withMembers<Result>(of parser: EventParser, _ body: (event_status) -> Result) -> Result {
        text.withUnsafeBufferPointer { text in
            parser.members.pointee = event_members()
            if let start = text.baseAddress, !text.isEmpty {
                let end = start + text.count
                let item = EventText.Item(start: start, count: text.count)
                let text = EventText(at: start, end: end, readableEnd: end)
                let status = parser.read(item, of: text, form: EVENT_PLAIN)
                guard status == EVENT_READ else { return body(status) }
            }
            // The strings, one behind the other. An additional last byte gives empty ones an address.
            return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes + 1) { room in
                var room = room[...]
                for (name, value) in all {
                    if let (level, members) = Self.level(name, value) {
                        Self.set(name, value, EVENT_TOP, parser, &room)
                        for (name, value) in members { Self.set(name, value, level, parser, &room) }
                    } else if value.isSimple {
                        Self.set(name, value, EVENT_TOP, parser, &room)
                    }
                }
                return body(EVENT_READ)
            }
        }
    }

    private static func set(
        _ name: BoundedName,
        _ value: StrictJSON,
        _ level: event_level,
        _ parser: EventParser,
        _ room: inout Slice<UnsafeMutableBufferPointer<UInt8>>
    ) {
        var given = value.eventValue
        if var string = value.text {
            let place = UnsafeMutableBufferPointer(rebasing: room)
            given.bytes = UnsafePointer(place.baseAddress)
            given.count = string.withUTF8 { place.update(fromContentsOf: $0) }
            room = room.dropFirst(given.count)
        }
        var name = name.text
        name.withUTF8 { event_members_set(parser.members, level, $0.baseAddress, $0.count, given) }
    }
}

extension StrictJSON {
    fileprivate var isSimple: Bool {
        switch self {
        case .string, .integer, .bool, .null: true
        case .object, .array, .otherNumber: false
        }
    }

    /// The value for the validator, without the bytes of a string.
    fileprivate var eventValue: event_value {
        var value = event_value()
        switch self {
        case .string: value.kind = EVENT_STRING
        case .integer(let number): (value.kind, value.integer) = (EVENT_INTEGER, number)
        case .bool(let flag): (value.kind, value.integer) = (EVENT_BOOLEAN, flag ? 1 : 0)
        case .null: value.kind = EVENT_NOTHING
        case .object, .array, .otherNumber: value.kind = EVENT_OBJECT
        }
        return value
    }
}
