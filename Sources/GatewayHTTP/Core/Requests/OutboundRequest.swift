internal import GatewayModel
internal import GatewayStorage
internal import Outbound
internal import TextFormats

/// The parameters of a request for the outbound feed (OutboundEvents page).
struct OutboundRequest: Sendable {
    /// The maximum wait, in seconds: proxies allow that much.
    static let maxWaitSeconds: Int64 = 60

    /// The position after which items are returned; nil begins at the subscription's mark.
    let after: Int64?
    /// The maximum number of items, 1 to 500.
    let limit: Int
    /// The time to wait for an item, in seconds, 0 to 60.
    let waitSeconds: Int64
    /// The types to return; nil returns all.
    let types: Set<OutboundType>?
    /// Whether typing is reported while the request waits: only when it is named, because it has no position.
    let wantsTyping: Bool
    /// Whether a new subscription begins with the oldest stored item.
    let fromStart: Bool

    private enum Start: String, CaseIterable {
        case start, end
    }

    /// Reads the query; throws 422 that names every invalid parameter.
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
                throw Problem(invalid: "/types", "must be types separated by commas: \(all.joined(separator: ", "))")
            }
            return Set(words)
        }
        types = words.map { Set($0.compactMap { OutboundType(word: $0.text) }) }
        wantsTyping = words?.contains { $0.text.hasSameBytes(as: PassingItem.typing) } ?? false
        try checks.finish()
    }
}
