internal import GatewayModel

/// The query of a request, decoded once; unknown parameters are ignored, repeated ones refused when they are read.
struct QueryParameters: Sendable {
    private let pairs: [(name: String, value: String)]

    /// Reads a raw query; throws 400 when it is not decodable.
    init(_ query: String?) throws(Problem) {
        guard let query, !query.isEmpty else {
            pairs = []
            return
        }
        var pairs: [(name: String, value: String)] = []
        for part in query.split(separator: "&") {
            let equals = part.firstIndex(of: "=") ?? part.endIndex
            let value = equals == part.endIndex ? "" : part[part.index(after: equals)...]
            guard let name = PercentDecoding.decode(part[..<equals]), let value = PercentDecoding.decode(value) else {
                throw .unreadable("The query is not percent-encoded UTF-8.")
            }
            pairs.append((name, value))
        }
        self.pairs = pairs
    }

    /// A text that names a path with its parameters, in whatever order they came.
    func text(of path: String, without names: Set<String>) -> String {
        let kept = pairs.filter { !names.contains($0.name) && !$0.value.isEmpty }.map { "\($0.name)=\($0.value)" }
        return ([path] + kept.sorted()).joined(separator: "\u{0}")
    }

    /// A parameter's value; nil when it is absent.
    func text(_ name: String) throws(Problem) -> String? {
        let values = pairs.lazy.filter { $0.name == name }
        guard let first = values.first else { return nil }
        guard values.dropFirst().isEmpty else { throw Problem(invalid: "/" + name, "appears more than once") }
        return first.value
    }

    /// An id; throws 422 when it does not have its shape.
    func identifier<ID: GatewayIdentifier>(_ name: String, as _: ID.Type) throws(Problem) -> ID? {
        guard let text = try text(name) else { return nil }
        guard let id = ID(text) else { throw Problem(invalid: "/" + name, "is not a valid id") }
        return id
    }

    /// A whole number within a range; throws 422 otherwise.
    func integer(_ name: String, in range: ClosedRange<Int64>) throws(Problem) -> Int64? {
        guard let text = try text(name) else { return nil }
        guard let number = Int64(text), range.contains(number) else {
            let most = range.upperBound == .max ? "or more" : "to \(range.upperBound)"
            throw Problem(invalid: "/" + name, "must be \(range.lowerBound) \(most)")
        }
        return number
    }

    /// A moment; throws 422 when it is not RFC 3339.
    func moment(_ name: String) throws(Problem) -> Timestamp? {
        guard let text = try text(name) else { return nil }
        guard let moment = Timestamp(rfc3339: text) else {
            throw Problem(invalid: "/" + name, "must be an RFC 3339 date-time")
        }
        return moment
    }

    /// One word of a closed set; throws 422 otherwise.
    func word<Word: RawRepresentable & CaseIterable>(_ name: String, as _: Word.Type) throws(Problem) -> Word?
    where Word.RawValue == String {
        guard let text = try text(name) else { return nil }
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(invalid: "/" + name, "must be one of \(words)")
        }
        return word
    }
}
