internal import GatewayModel
internal import TextFormats

/// The query of a request, decoded once; unknown parameters are ignored, repeated ones are rejected when they are read.
struct QueryParameters: Sendable {
    private let pairs: [(name: BoundedName, value: String)]

    /// Parses a raw query, or a form; throws 400 when it cannot be decoded.
    init(_ query: String?, _ form: PercentEncoding.Form = .component) throws(Problem) {
        guard let query, !query.isEmpty else {
            pairs = []
            return
        }
        var pairs: [(name: BoundedName, value: String)] = []
        for part in query.byteSplit("&") {
            let sides = part.byteSplit("=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(sides[0].utf8, form),
                let value = PercentEncoding.decode((sides.count > 1 ? sides[1] : "").utf8, form)
            else { throw .unreadable("The query is not percent-encoded UTF-8.") }
            // No parameter has a name that long: it is unknown, and therefore ignored.
            if let name = BoundedName(name) { pairs.append((name, value)) }
        }
        self.pairs = pairs
    }

    /// Returns a text that identifies a path with its parameters, independent of their order.
    func text(of path: String, without names: Set<BoundedName>) -> String {
        let kept = pairs.filter { !names.contains($0.name) && !$0.value.isEmpty }.map { "\($0.name)=\($0.value)" }
        let sorted = kept.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return ([path] + sorted).joined(separator: "\u{0}")
    }

    /// Returns a parameter's value; nil when it is absent.
    func text(_ name: BoundedName) throws(Problem) -> String? {
        let values = pairs.lazy.filter { $0.name == name }
        guard let first = values.first else { return nil }
        guard values.dropFirst().isEmpty else { throw Problem(invalid: "/" + name.text, "appears more than once") }
        return first.value
    }

    /// Returns an id; throws 422 when it is invalid.
    func identifier<ID: GatewayIdentifier>(_ name: BoundedName, as _: ID.Type) throws(Problem) -> ID? {
        guard let text = try text(name) else { return nil }
        guard let id = ID(text) else { throw Problem(invalid: "/" + name.text, "is not a valid id") }
        return id
    }

    /// Returns a whole number within a range; throws 422 otherwise.
    func integer(_ name: BoundedName, in range: ClosedRange<Int64>) throws(Problem) -> Int64? {
        guard let text = try text(name) else { return nil }
        guard let number = Int64(text), range.contains(number) else {
            let most = range.upperBound == .max ? "or more" : "to \(range.upperBound)"
            throw Problem(invalid: "/" + name.text, "must be \(range.lowerBound) \(most)")
        }
        return number
    }

    /// Returns a time; throws 422 when it is not RFC 3339.
    func moment(_ name: BoundedName) throws(Problem) -> Timestamp? {
        guard let text = try text(name) else { return nil }
        guard let moment = Timestamp(rfc3339: text) else {
            throw Problem(invalid: "/" + name.text, "must be an RFC 3339 date-time")
        }
        return moment
    }

    /// Returns one word of a closed set; throws 422 otherwise.
    func word<Word: RawRepresentable & CaseIterable>(_ name: BoundedName, as _: Word.Type) throws(Problem) -> Word?
    where Word.RawValue == String {
        guard let text = try text(name) else { return nil }
        guard let word = Word(word: text) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(invalid: "/" + name.text, "must be one of \(words)")
        }
        return word
    }

    private enum Flag: String, CaseIterable {
        case `true`, `false`
    }

    /// Returns a flag; throws 422 for another word than `true` and `false`.
    func flag(_ name: BoundedName) throws(Problem) -> Bool? { try word(name, as: Flag.self).map { $0 == .true } }
}
