internal import CSimdjson
internal import TextFormats

/// A check that the C++ reader of events and the strict JSON reader agree.
///
/// The first byte of an input selects the form: plain, envelope or payload.
enum EventReaderCheck {
    /// The depth limit of the gateway's API.
    private static let maxDepth = 64

    /// Members at the top level of a CloudEvents envelope, and nowhere else.
    private static let envelopeNames: [BoundedName] = ["specversion", "datacontenttype", "data_base64"]
    /// Members of plain events, and attributes of CloudEvents.
    private static let attributeNames: [BoundedName] = ["id", "source", "type", "time"]

    /// - Parameter input: The form and the text.
    /// - Returns: The failed check; nil for none.
    static func failure(on input: UnsafeRawBufferPointer) -> String? {
        guard let flags = input.first else { return nil }
        let form = [EVENT_PLAIN, EVENT_ENVELOPE, EVENT_PAYLOAD][Int(flags % 3)]
        let text = UnsafeRawBufferPointer(rebasing: input.dropFirst())
        guard let exact = EventReading(text, form, spare: 0, maxDepth: maxDepth) else { return nil }
        guard let padded = EventReading(text, form, spare: 64, maxDepth: maxDepth) else { return nil }
        guard exact == padded, exact.validity == padded.validity else { return "bytes after a text change its result" }
        let strict: Result<StrictJSON, StrictJSON.Rejection>
        do { strict = .success(try StrictJSON.parse(Array(text), maxDepth: maxDepth)) } catch {
            strict = .failure(error)
        }
        return disagreement(exact, strict, form) ?? ArraySplitCheck.failure(on: text, strict)
    }

    private static func disagreement(
        _ reading: EventReading,
        _ strict: Result<StrictJSON, StrictJSON.Rejection>,
        _ form: event_form
    ) -> String? {
        let status = event_status(rawValue: reading.status)
        let isValid = event_status(rawValue: reading.validity) == EVENT_READ
        let isWellFormed = status == EVENT_READ || status == EVENT_NOT_OBJECT || status == EVENT_DUPLICATE
        guard isValid == isWellFormed else { return "JSON alone is \(reading.validity), an event \(reading.status)" }
        switch strict {
        case .success(let value):
            if status == EVENT_NUMBER {
                return holdsNumber(value) ? nil : "a number is rejected where there is none"
            }
            guard case .object(let members) = value else {
                return status == EVENT_NOT_OBJECT ? nil : "a value that is not an object gives \(reading.status)"
            }
            return status == EVENT_READ ? difference(reading, members, form) : "good JSON gives \(reading.status)"
        case .failure(.encoding):
            return isWellFormed || status == EVENT_NUMBER ? "bad UTF-8 gives \(reading.status)" : nil
        case .failure(.duplicate), .failure(.longName):
            // Only names on the levels that are read are checked, and only in a text that was read to its end.
            return status == EVENT_ENCODING ? "good UTF-8 gives \(reading.status)" : nil
        case .failure(let rejection):
            if status == EVENT_ENCODING { return "good UTF-8 gives \(reading.status)" }
            return isWellFormed ? "\(rejection) gives \(reading.status)" : nil
        }
    }

    private static func holdsNumber(_ value: StrictJSON) -> Bool {
        switch value {
        case .otherNumber: true
        case .array(let items): items.contains(where: holdsNumber)
        case .object(let members): members.contains { holdsNumber($0.value) }
        default: false
        }
    }

    private static func difference(
        _ reading: EventReading,
        _ top: StrictJSON.Members,
        _ form: event_form
    ) -> String? {
        var level = top
        var attributes = form == EVENT_PAYLOAD ? [:] : top
        var payload: StrictJSON?
        if form == EVENT_ENVELOPE {
            payload = top["data"]
            level = if case .object(let members)? = payload { members } else { [:] }
        } else {
            attributes = .init(attributes.filter { attributeNames.contains($0.key) })
        }
        for (name, member) in reading.members {
            let key = BoundedName(known: name)
            let expected: StrictJSON? =
                if name == "payload" {
                    payload
                } else if attributeNames.contains(key) || envelopeNames.contains(key) {
                    attributes[key]
                } else {
                    value(at: name, in: level)
                }
            guard agrees(member, expected, name) else { return "\(name) is another value" }
        }
        return nil
    }

    /// Returns the member of a level, or of the object in it before the dot.
    private static func value(at path: String, in level: StrictJSON.Members) -> StrictJSON? {
        let parts = path.split(separator: ".")
        guard parts.count == 2 else { return level[BoundedName(known: path)] }
        guard case .object(let members)? = level[BoundedName(known: String(parts[0]))] else { return nil }
        return members[BoundedName(known: String(parts[1]))]
    }

    private static func agrees(_ member: EventReading.Member, _ value: StrictJSON?, _ name: String) -> Bool {
        switch member {
        case .text(let shape, let bytes):
            guard let value else { return shape == EVENT_ABSENT.rawValue }
            if case .null = value { return shape == EVENT_NULL.rawValue }
            if name == "data" {
                guard case .object = value else { return shape == EVENT_WRONG_TYPE.rawValue }
                return shape == EVENT_VALUE.rawValue && (try? StrictJSON.parse(bytes, maxDepth: maxDepth)) == value
            }
            guard case .string(let text) = value else { return shape == EVENT_WRONG_TYPE.rawValue }
            return shape == EVENT_VALUE.rawValue && text.utf8.elementsEqual(bytes)
        case .integer(let shape, let number):
            guard let value else { return shape == EVENT_ABSENT.rawValue }
            if case .null = value { return shape == EVENT_NULL.rawValue }
            guard case .integer(let expected) = value else { return shape == EVENT_WRONG_TYPE.rawValue }
            return shape == EVENT_VALUE.rawValue && number == expected
        case .flag(let shape, let flag):
            guard let value else { return shape == EVENT_ABSENT.rawValue }
            if case .null = value { return shape == EVENT_NULL.rawValue }
            guard case .bool(let expected) = value else { return shape == EVENT_WRONG_TYPE.rawValue }
            return shape == EVENT_VALUE.rawValue && flag == expected
        case .shape(let shape):
            guard let value else { return shape == EVENT_ABSENT.rawValue }
            if case .null = value { return shape == EVENT_NULL.rawValue }
            // Bytes in base64 are rejected for any value.
            guard case .object = value, name != "data_base64" else { return shape == EVENT_WRONG_TYPE.rawValue }
            return shape == EVENT_VALUE.rawValue
        }
    }
}
