internal import GatewayModel
internal import TextFormats

/// Reads the members of a body and collects all errors, so that the caller gets them in one response.
///
/// Each reader returns nil for a member that is absent, null or invalid, and records an error for an invalid one; with
/// `isRequired` absent and null are invalid too. Checking stops at one error more than a response contains.
struct FieldChecks {
    private(set) var problems: [FieldProblem] = []

    /// Whether there are so many errors that checking stops.
    private var isFull: Bool { problems.count > Problem.maxErrors }

    /// Records an error.
    mutating func fail(_ pointer: String, _ detail: String) {
        if !isFull { problems.append(FieldProblem(pointer: pointer, detail: detail)) }
    }

    /// Returns the value of a parameter's reader; records the errors that it throws.
    mutating func collect<Value>(_ read: () throws(Problem) -> Value?) -> Value? {
        guard !isFull else { return nil }
        do { return try read() } catch {
            for error in error.errors { fail(error.pointer, error.detail) }
            return nil
        }
    }

    // MARK: Shapes

    /// Reads a string, whatever it contains.
    mutating func text(_ member: BodyMember, isRequired: Bool = false) -> String? {
        guard let value = present(member, isRequired) else { return nil }
        guard case .string(let text) = value else { return wrong(member, "must be a string") }
        return text
    }

    /// Reads a whole number within a range.
    mutating func integer(_ member: BodyMember, in range: ClosedRange<Int64>, isRequired: Bool = false) -> Int64? {
        guard let value = present(member, isRequired) else { return nil }
        guard case .integer(let number) = value else { return wrong(member, "must be a whole number") }
        guard range.contains(number) else {
            let most = range.upperBound == .max ? "or more" : "to \(range.upperBound)"
            return wrong(member, "must be \(range.lowerBound) \(most)")
        }
        return number
    }

    /// Reads `true` or `false`.
    mutating func flag(_ member: BodyMember, isRequired: Bool = false) -> Bool? {
        guard let value = present(member, isRequired) else { return nil }
        guard case .bool(let flag) = value else { return wrong(member, "must be true or false") }
        return flag
    }

    /// Reads the items of an array.
    mutating func items(_ member: BodyMember, atMost limit: Int, isRequired: Bool = false) -> [BodyMember]? {
        guard let value = present(member, isRequired) else { return nil }
        guard case .array(let items) = value else { return wrong(member, "must be an array") }
        guard items.count <= limit else { return wrong(member, "must have at most \(limit) items") }
        let place = member.place
        return items.enumerated().map { BodyMember(at: .item($0, of: place), value: $1) }
    }

    /// Reads the strings of an array, whatever they contain; invalid items are recorded and left out.
    mutating func texts(_ member: BodyMember, atMost limit: Int) -> [String]? {
        guard let value = present(member, false) else { return nil }
        guard case .array(let items) = value else { return wrong(member, "must be an array") }
        guard items.count <= limit else { return wrong(member, "must have at most \(limit) items") }
        var texts: [String] = []
        texts.reserveCapacity(items.count)
        for (index, item) in items.enumerated() {
            if case .string(let text) = item {
                texts.append(text)
            } else {
                _ = text(BodyMember(at: .item(index, of: member.place), value: item), isRequired: true)
            }
        }
        return texts
    }

    /// Reads an object.
    mutating func object(_ member: BodyMember, isRequired: Bool = false) -> BodyObject? {
        guard let value = present(member, isRequired) else { return nil }
        guard case .object(let members) = value else { return wrong(member, "must be an object") }
        return BodyObject(at: member.place, members: members)
    }

    /// Records every unknown member: where a typing error must not go unnoticed.
    mutating func rejectOthers(in object: BodyObject, than known: some Collection<BoundedName>) {
        guard !isFull else { return }
        for name in object.names(besides: known, atMost: Problem.maxErrors + 1) {
            fail(object[name].pointer, "is not a known member")
        }
    }

    // MARK: Meanings

    /// Reads an id of a kind.
    mutating func identifier<ID: GatewayIdentifier>(
        _ member: BodyMember,
        as _: ID.Type,
        isRequired: Bool = false
    ) -> ID? {
        guard let text = text(member, isRequired: isRequired) else { return nil }
        return ID(text) ?? wrong(member, "is not a valid id")
    }

    /// Reads a short text of one line.
    mutating func line(_ member: BodyMember, atMost limit: Int, isRequired: Bool = false) -> String? {
        guard let text = text(member, isRequired: isRequired) else { return nil }
        guard !text.isEmpty, text.utf8.count <= limit,
            // Most are ASCII, and looking up a category takes longer than comparing a byte.
            text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) })
                || !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { return wrong(member, "must be 1 to \(limit) bytes without control characters") }
        return text
    }

    /// Reads a text for people: any characters except U+0000, which not every store can hold.
    mutating func content(_ member: BodyMember, atMost limit: Int, isRequired: Bool = false) -> String? {
        guard let text = text(member, isRequired: isRequired) else { return nil }
        guard !text.isEmpty, text.utf8.count <= limit else { return wrong(member, "must be 1 to \(limit) bytes") }
        guard !text.utf8.contains(0) else { return wrong(member, "must not contain U+0000") }
        return text
    }

    /// Reads an object as raw text, from the body itself.
    mutating func raw(
        _ name: StaticString,
        of body: BodyObject,
        atMost limit: Int,
        isRequired: Bool = false
    ) -> JSONText? {
        let member = body[BoundedName(known: name.description)]
        guard object(member, isRequired: isRequired) != nil else { return nil }
        let text = body.text.withUnsafeBufferPointer { bytes in
            RawMember.value(name, of: bytes).map { String(decoding: bytes[$0], as: UTF8.self) }
        }
        // A name with escapes is found only by its meaning.
        guard let text else { return wrong(member, "must be named without escapes") }
        guard text.utf8.count <= limit else { return wrong(member, "must be at most \(limit) bytes") }
        return JSONText(trusted: text)
    }

    /// Reads one word of a closed set.
    mutating func word<Word: RawRepresentable & CaseIterable>(
        _ member: BodyMember,
        as _: Word.Type,
        isRequired: Bool = false
    ) -> Word? where Word.RawValue == String {
        guard let text = text(member, isRequired: isRequired) else { return nil }
        return Word(word: text)
            ?? wrong(member, "must be one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
    }

    /// Reads a time in RFC 3339.
    mutating func moment(_ member: BodyMember, isRequired: Bool = false) -> Timestamp? {
        guard let text = text(member, isRequired: isRequired) else { return nil }
        return Timestamp(rfc3339: text) ?? wrong(member, "must be an RFC 3339 date-time")
    }

    // MARK: Results

    /// Returns the values of required members; throws `Problem` 422 with all recorded errors, if there are any.
    func finish<each Value>(_ values: repeat (each Value)?) throws(Problem) -> (repeat each Value) {
        try finish()
        return (repeat try Self.value(each values))
    }

    /// Throws all recorded errors, if there are any.
    func finish() throws(Problem) {
        guard problems.isEmpty else { throw Problem(invalid: problems) }
    }

    private static func value<Value>(_ value: Value?) throws(Problem) -> Value {
        guard let value else { throw Problem(.internal, "A required member was not read as required.") }
        return value
    }

    /// Returns the value of a present member.
    private mutating func present(_ member: BodyMember, _ isRequired: Bool) -> StrictJSON? {
        guard !isFull else { return nil }
        guard let value = member.value, value != .null else {
            if isRequired { fail(member.pointer, member.isNamed ? "must not be null" : "is required") }
            return nil
        }
        return value
    }

    private mutating func wrong<Value>(_ member: BodyMember, _ detail: String) -> Value? {
        fail(member.pointer, detail)
        return nil
    }
}
