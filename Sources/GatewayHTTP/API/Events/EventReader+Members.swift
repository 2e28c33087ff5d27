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

/// The members of an event: those of the usual types reach the validator as they are, and only what is left as JSON text.
private struct GivenMembers {
    /// The number of bytes of all texts.
    private(set) var bytes = 0
    private let all: StrictJSON.Members
    /// The text of `data`, if nothing in it needs a parser; else empty.
    private var data: [UInt8] = []
    /// The text of an object of the members that must be parsed; empty without these.
    private var text: [UInt8] = []

    init(_ members: StrictJSON.Members) {
        all = members
        var others = StrictJSON.Members()
        for (name, value) in members {
            if value.isSimple {
                bytes += value.text?.utf8.count ?? 0
            } else if let inner = Self.level(name, value)?.members {
                for (_, value) in inner { bytes += value.text?.utf8.count ?? 0 }
            } else if name == "data", value.isPlain(levels: EventParser.maxDepth - 1), case .object = value {
                data = value.sortedText
            } else {
                others[name] = value
            }
        }
        if !others.isEmpty { text = StrictJSON.object(others).sortedText }
        bytes += data.count + text.count
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
            return data.withUnsafeBufferPointer { data in
                if !data.isEmpty {
                    let value = event_value(kind: EVENT_OBJECT, bytes: data.baseAddress, count: data.count, integer: 0)
                    Self.set("data", value, EVENT_TOP, parser)
                }
                return withStrings(of: parser) { body(EVENT_READ) }
            }
        }
    }

    /// Sets the other members for the duration of a call.
    private func withStrings<Result>(of parser: EventParser, _ body: () -> Result) -> Result {
        // The strings, one behind the other. An additional last byte gives empty ones an address.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes + 1) { room in
            var room = room[...]
            for (name, value) in all {
                if value.isSimple {
                    Self.set(name, value, EVENT_TOP, parser, &room)
                } else if let (level, members) = Self.level(name, value) {
                    Self.set(name, value, EVENT_TOP, parser, &room)
                    for (name, value) in members { Self.set(name, value, level, parser, &room) }
                }
            }
            return body()
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
        set(name, given, level, parser)
    }

    private static func set(_ name: BoundedName, _ value: event_value, _ level: event_level, _ parser: EventParser) {
        var name = name.text
        name.withUTF8 { event_members_set(parser.members, level, $0.baseAddress, $0.count, value) }
    }
}

extension StrictJSON {
    fileprivate var isSimple: Bool {
        switch self {
        case .string, .integer, .bool, .null: true
        case .object, .array, .otherNumber: false
        }
    }

    /// Whether its text needs no parser: it has no more levels than a number, and no number that may be out of range.
    fileprivate func isPlain(levels: Int) -> Bool {
        switch self {
        case .string, .integer, .bool, .null: true
        case .otherNumber: false
        case .array(let items): levels > 0 && items.allSatisfy { $0.isPlain(levels: levels - 1) }
        case .object(let members): levels > 0 && members.allSatisfy { $0.value.isPlain(levels: levels - 1) }
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
