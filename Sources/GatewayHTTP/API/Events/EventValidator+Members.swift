internal import CSimdjson
internal import GatewayModel
internal import TextFormats

// The rules for single members.
extension EventValidator {
    /// Records an error of a member, named by its pointer in a plain event; only the first one.
    mutating func problem(_ member: StaticString, _ detail: String) {
        let pointer = pointer(member)
        guard !problems.contains(where: { $0.pointer.hasSameBytes(as: pointer) }) else { return }
        problems.append(FieldProblem(pointer: pointer, detail: detail))
    }

    /// Returns the text of a member; nil when it is absent, null or invalid.
    mutating func present(_ member: event_text, _ pointer: StaticString, required: Bool) -> String? {
        guard holds(member, pointer, required: required) else { return nil }
        return member.string
    }

    /// Whether a member is a string; otherwise records the error.
    mutating func holds(_ member: event_text, _ pointer: StaticString, required: Bool) -> Bool {
        switch member.shape {
        case EVENT_VALUE: return true
        case EVENT_WRONG_TYPE: problem(pointer, "must be a string")
        default: if required { problem(pointer, "is required") }
        }
        return false
    }

    mutating func identifier(_ member: event_text, _ pointer: StaticString, required: Bool) -> String? {
        line(member, pointer, atMost: EventLimits.identifierBytes, required: required)
    }

    /// Reads a short text of one line.
    mutating func line(
        _ member: event_text,
        _ pointer: StaticString,
        atMost limit: Int,
        orEmpty: Bool = false,
        required: Bool = false
    ) -> String? {
        guard holds(member, pointer, required: required) else { return nil }
        guard member.count >= (orEmpty ? 0 : 1), member.count <= limit, !member.hasControls else {
            problem(pointer, "must be \(orEmpty ? 0 : 1) to \(limit) bytes without control characters")
            return nil
        }
        return member.string
    }

    /// Reads a text for people: any characters except U+0000, which not every store can hold.
    mutating func content(
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
            problem(pointer, "must not contain U+0000")
            return nil
        }
        return member.count > 0 ? member.string : nil
    }

    mutating func data(_ member: event_text) -> JSONText? {
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

    mutating func link(_ member: event_text, _ pointer: StaticString) -> String? {
        guard holds(member, pointer, required: false) else { return nil }
        guard member.count <= EventLimits.linkBytes,
            LinkText.isValid(UnsafeBufferPointer(start: member.bytes, count: member.count))
        else {
            problem(pointer, "must be a link with https or an app's own scheme, at most \(EventLimits.linkBytes) bytes")
            return nil
        }
        return member.string
    }

    mutating func integer(
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

    mutating func moment(_ member: event_text, _ pointer: StaticString) -> Timestamp? {
        guard let text = present(member, pointer, required: false) else { return nil }
        guard let time = Timestamp(rfc3339: text) else {
            problem(pointer, "must be an RFC 3339 date-time")
            return nil
        }
        return time
    }
}

extension event_text {
    /// Whether the text contains a control character: C0, DEL, or C1 (C2 80 to C2 9F in UTF-8).
    fileprivate var hasControls: Bool {
        var previous: UInt8 = 0
        for byte in UnsafeBufferPointer(start: bytes, count: count) {
            if byte < 0x20 || byte == 0x7F || (previous == 0xC2 && byte < 0xA0) { return true }
            previous = byte
        }
        return false
    }

    /// Whether the text contains U+0000.
    fileprivate var hasNull: Bool { UnsafeBufferPointer(start: bytes, count: count).contains(0) }
}
