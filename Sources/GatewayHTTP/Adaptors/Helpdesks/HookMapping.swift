internal import GatewayModel
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
    private static let numbers: Set<BoundedName> = [
        "sourceSequence", "ttlSeconds", "lookBackSeconds", "upToSequence", "upToSourceSequence", "data",
    ]

    // MARK: Use

    /// Translates a body.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - mapping: A mapping that was checked.
    ///   - id: The id of the event, unless the mapping has one.
    ///   - source: The source of the event, unless the mapping has one.
    /// - Returns: The event, not validated.
    /// - Throws: `Problem` 413 when the event would be too long.
    static func translate(
        _ body: StrictJSON,
        by mapping: StrictJSON,
        id: String,
        source: String
    ) throws(Problem) -> HookTranslation {
        for (pointer, wanted) in mapping.value(at: "/filter")?.members ?? [:] {
            let found = body.value(at: pointer.text) ?? .null
            var isWanted = found == wanted
            if case .array(let values) = wanted { isWanted = values.contains(found) }
            guard isWanted else { return .ignored(.filter) }
        }
        var filling = Filling(body: body)
        var event: StrictJSON.Members = ["id": .string(id), "source": .string(source)]
        for (name, template) in mapping.value(at: "/event")?.members ?? [:] {
            if let value = try filling.value(template, [name.text], keepsNumbers: numbers.contains(name)) {
                event[name] = value
            }
        }
        return .event(event, missing: filling.missing)
    }

    private struct Filling {
        let body: StrictJSON
        var missing: [FieldProblem] = []
        /// The bytes that may still be copied: pointers may name the same long value many times.
        var room = EventParser.maxEventBytes

        mutating func value(
            _ template: StrictJSON,
            _ path: [String],
            keepsNumbers: Bool
        ) throws(Problem) -> StrictJSON? {
            guard case .object(let members) = template else { return template }
            guard let pointer = HookMapping.pointer(members) else {
                var all = StrictJSON.Members()
                for (name, template) in members {
                    let value = try value(template, path + [name.text], keepsNumbers: keepsNumbers)
                    if let value { all[name] = value }
                }
                return .object(all)
            }
            guard let found = body.value(at: pointer), found != .null else {
                let detail = "is at \(pointer), where the body has nothing"
                missing.append(FieldProblem(pointer: FieldProblem.pointer(path), detail: detail))
                return nil
            }
            room -= found.size
            guard room > 0 else { throw EventParseError.tooLarge }
            // Ids of helpdesks are often numbers.
            if case .integer(let number) = found, !keepsNumbers { return .string(String(number)) }
            return found
        }
    }

    /// Returns the pointer of `{"pointer": TEXT}`; nil for every other object.
    private static func pointer(_ members: StrictJSON.Members) -> String? {
        members.count == 1 ? members["pointer"]?.text : nil
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
                if !StrictJSON.isPointer(name.text) {
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
        if let pointer = pointer(members) {
            if !StrictJSON.isPointer(pointer) || pointer.utf8.count > maxPointerBytes {
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
