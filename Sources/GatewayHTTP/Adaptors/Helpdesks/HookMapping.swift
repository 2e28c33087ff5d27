internal import GatewayModel
internal import Identity
internal import TextFormats

/// The mapping of any JSON to an event: a filter, pointers and constants.
enum HookMapping {
    /// The maximum length of a mapping, in bytes.
    static let maxBytes = 16_384
    /// The maximum number of values of a mapping.
    static let maxValues = 128
    /// The maximum length of a pointer, in bytes.
    static let maxPointerBytes = BoundedName.maxBytes
    /// The members of an event.
    private static let members: [BoundedName] = [
        "id", "type", "source", "time", "consumer", "conversation", "dialog", "sourceSequence", "agent", "text",
        "title",
        "data", "link", "priority", "ttlSeconds", "collapseKey", "category", "sound", "silent", "kind",
        "lookBackSeconds", "campaign", "consentCategory", "upToSequence", "upToSourceSequence", "upToMessageId",
    ]
    /// The members whose numbers stay numbers.
    private static let numbers: [BoundedName] = [
        "sourceSequence", "ttlSeconds", "lookBackSeconds", "upToSequence", "upToSourceSequence", "data",
    ]

    // MARK: Use

    /// Translates a body.
    ///
    /// - Parameters:
    ///   - values: The values of the body that the mapping selects.
    ///   - mapping: The mapping; nil gives an event without any other members.
    ///   - id: The id of the event, unless the mapping has one.
    ///   - source: The source of the event, unless the mapping has one.
    /// - Returns: The event, not validated.
    /// - Throws: `Problem` 413 when the event would be too long.
    static func translate(
        _ values: [StrictJSON?],
        by mapping: PreparedMapping?,
        id: String,
        source: String
    ) throws(Problem) -> HookTranslation {
        for condition in mapping?.filter ?? [] {
            let found = values[condition.place.number] ?? .null
            guard condition.values.contains(found) else { return .ignored(.filter) }
        }
        var filling = Filling(values: values)
        var event = StrictJSON.Members()
        event.reserveCapacity(12)
        event["id"] = .string(id)
        event["source"] = .string(source)
        for member in mapping?.event ?? [] {
            if let value = try filling.value(of: member, in: member.name) { event[member.name] = value }
        }
        return .event(event, missing: filling.missing)
    }

    private struct Filling {
        let values: [StrictJSON?]
        var missing: [FieldProblem] = []
        /// The bytes that may still be copied: pointers may name the same long value many times.
        private var room = EventParser.maxEventBytes
        /// The names of the objects that are filled, from the event down.
        private var path: [String] = []

        init(values: [StrictJSON?]) { self.values = values }

        /// Returns the value of a member, which is or is in a member of the event; nil when the body has none.
        mutating func value(
            of member: PreparedMapping.Member,
            in top: BoundedName
        ) throws(Problem) -> StrictJSON? {
            switch member.template {
            case .constant(let value): return value
            case .object(let members):
                path.append(member.name.text)
                defer { path.removeLast() }
                var all = StrictJSON.Members()
                for member in members {
                    if let value = try value(of: member, in: top) { all[member.name] = value }
                }
                return .object(all)
            case .copy(let place):
                guard let found = values[place.number], !found.isNull else {
                    let detail = "is at \(place.pointer.text), where the body has nothing"
                    missing.append(
                        FieldProblem(pointer: FieldProblem.pointer(path + [member.name.text]), detail: detail)
                    )
                    return nil
                }
                room -= found.size
                guard room > 0 else { throw EventParseError.tooLarge }
                // Ids of helpdesks are often numbers.
                guard case .integer(let number) = found, !numbers.contains(top) else { return found }
                return .string(String(number))
            }
        }
    }

    // MARK: Checks

    /// Checks a mapping and records errors.
    ///
    /// - Returns: The mapping as JSON with sorted members.
    static func read(_ member: BodyMember, _ checks: inout FieldChecks) -> String? {
        guard let mapping = checks.object(member, isRequired: true) else { return nil }
        let text = member.value?.sortedText ?? []
        guard text.count <= maxBytes, (try? StrictJSON.parse(text)) != nil else {
            checks.fail(member.pointer, "must have at most \(maxBytes) bytes and \(StrictJSON.tokenDepth) levels")
            return nil
        }
        checks.rejectOthers(in: mapping, than: ["filter", "event"])
        var count = 0
        if let filter = checks.object(mapping["filter"]) {
            for name in filter.names {
                count += 1
                if StrictJSON.Pointer(name.text) == nil {
                    checks.fail(filter[name].pointer, "is not a JSON pointer")
                } else if !isComparable(filter[name].value) {
                    checks.fail(filter[name].pointer, "must be a text, a number, true, false, null or a list of these")
                }
            }
        }
        if let event = checks.object(mapping["event"], isRequired: true) {
            checks.rejectOthers(in: event, than: members)
            for name: BoundedName in ["type", "consumer"] where event[name].isEmpty {
                checks.fail(event[name].pointer, "is required")
            }
            if event["type"].value?.text != nil { _ = checks.word(event["type"], as: EventType.self) }
            for name in event.names { check(event[name].value ?? .null, event[name].pointer, &count, &checks) }
        }
        if count > maxValues { checks.fail(member.pointer, "must have at most \(maxValues) values") }
        return String(decoding: text, as: UTF8.self)
    }

    private static func isComparable(_ value: StrictJSON?) -> Bool {
        switch value {
        case .object?, nil: false
        case .array(let items)?:
            items.allSatisfy { item in
                if case .array = item { false } else { isComparable(item) }
            }
        default: true
        }
    }

    private static func check(_ template: StrictJSON, _ path: String, _ count: inout Int, _ checks: inout FieldChecks) {
        count += 1
        guard case .object(let members) = template, count <= maxValues else { return }
        if let pointer = PreparedMapping.pointer(members) {
            if StrictJSON.Pointer(pointer) == nil || pointer.utf8.count > maxPointerBytes {
                checks.fail(path + "/pointer", "must be a JSON pointer of at most \(maxPointerBytes) bytes")
            }
            return
        }
        for (name, value) in members { check(value, path + FieldProblem.pointer([name.text]), &count, &checks) }
    }
}

extension StrictJSON {
    /// About the number of bytes of its text.
    fileprivate var size: Int {
        switch self {
        case .object(let members): members.reduce(2) { $0 + $1.key.text.utf8.count + 4 + $1.value.size }
        case .array(let items): items.reduce(2) { $0 + 1 + $1.size }
        case .string(let text), .otherNumber(let text): text.utf8.count + 2
        default: 8
        }
    }
}
