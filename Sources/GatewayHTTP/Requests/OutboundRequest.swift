internal import GatewayModel
internal import GatewayStorage
internal import Outbound
internal import TextFormats

/// What a reader of the outbound feed asks for (OutboundEvents page).
struct OutboundRequest: Sendable {
    /// The longest wait, in seconds: what proxies let pass.
    static let maxWaitSeconds: Int64 = 60

    /// Only items behind this position; nil begins at the subscription's mark.
    let after: Int64?
    /// At most this many, 1 to 500.
    let limit: Int
    /// How long to wait for an item, 0 to 60.
    let waitSeconds: Int64
    /// Only these; nil is everything.
    let types: Set<OutboundType>?
    /// Whether typing is told while it waits: only to those who name it, since it has no position.
    let wantsTyping: Bool
    /// Whether a new subscription begins with what is kept.
    let fromStart: Bool

    private enum Start: String, CaseIterable {
        case start, end
    }

    /// Reads the query; throws 422 that names every parameter that is wrong.
    init(_ query: QueryParameters) throws(Problem) {
        var checks = FieldChecks()
        after = checks.collect { () throws(Problem) in try query.integer("after", in: 0...Int64.max) }
        let most = Int64(OutboundLimits.pageItems)
        limit = Int(checks.collect { () throws(Problem) in try query.integer("limit", in: 1...most) } ?? 50)
        waitSeconds =
            checks.collect { () throws(Problem) in try query.integer("waitSeconds", in: 0...Self.maxWaitSeconds) } ?? 0
        fromStart = checks.collect { () throws(Problem) in try query.word("from", as: Start.self) } == .start
        let words = checks.collect { () throws(Problem) -> Set<BoundedName>? in
            guard let text = try query.text("types") else { return nil }
            let all = OutboundType.allCases.map(\.rawValue) + [PassingItem.typing]
            let known = Set(all.compactMap { BoundedName($0) })
            let words = text.byteSplit(",", omittingEmptySubsequences: false).compactMap { BoundedName($0) }
            guard !words.isEmpty, words.allSatisfy(known.contains) else {
                throw Problem(invalid: "/types", "must be types with commas between: \(all.joined(separator: ", "))")
            }
            return Set(words)
        }
        types = words.map { Set($0.compactMap { OutboundType(word: $0.text) }) }
        wantsTyping = words?.contains { $0.text.hasSameBytes(as: PassingItem.typing) } ?? false
        try checks.finish()
    }
}
