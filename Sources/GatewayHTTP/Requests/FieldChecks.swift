internal import GatewayModel

/// Collects what is wrong with the members of a decoded body, so that the caller learns of everything at once.
struct FieldChecks {
    private(set) var problems: [FieldProblem] = []

    /// Notes a problem.
    mutating func fail(_ pointer: String, _ detail: String) {
        problems.append(FieldProblem(pointer: pointer, detail: detail))
    }

    /// An id of its kind.
    mutating func identifier<ID: GatewayIdentifier>(_ text: String?, _ pointer: String, as _: ID.Type) -> ID? {
        guard let text else { return nil }
        guard let id = ID(text) else {
            fail(pointer, "is not a valid id")
            return nil
        }
        return id
    }

    /// A short text of one line.
    mutating func line(_ text: String?, _ pointer: String, atMost limit: Int) -> String? {
        guard let text else { return nil }
        guard !text.isEmpty, text.utf8.count <= limit,
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            fail(pointer, "must be 1 to \(limit) bytes without control characters")
            return nil
        }
        return text
    }

    /// One word of a closed set.
    mutating func word<Word: RawRepresentable & CaseIterable>(_ text: String?, _ pointer: String, as _: Word.Type)
        -> Word?
    where Word.RawValue == String {
        guard let text else { return nil }
        guard let word = Word(rawValue: text) else {
            fail(pointer, "must be one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
            return nil
        }
        return word
    }

    /// A moment in RFC 3339.
    mutating func moment(_ text: String?, _ pointer: String) -> Timestamp? {
        guard let text else { return nil }
        guard let moment = Timestamp(rfc3339: text) else {
            fail(pointer, "must be an RFC 3339 date-time")
            return nil
        }
        return moment
    }

    /// Throws everything that was noted, if anything was.
    func finish() throws(Problem) {
        guard problems.isEmpty else { throw Problem(invalid: problems) }
    }
}
