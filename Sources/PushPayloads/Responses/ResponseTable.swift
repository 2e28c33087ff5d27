package import GatewayModel
internal import TextFormats

/// A provider's response table: exact rows first, then the rows of the status classes.
package struct ResponseTable: Sendable {
    private struct Key: Hashable {
        var status: Int
        var reason: BoundedName
    }

    /// The documented rows of the provider.
    package let rows: [ResponseRow]
    /// The rows for responses whose reason is absent or unknown; the first match counts.
    package let classes: [ResponseRow]
    private let exact: [Key: ResponseRow]
    private let words: Set<BoundedName>

    /// Builds the table.
    ///
    /// - Parameters:
    ///   - rows: The documented rows of the provider, each for one status and one reason.
    ///   - classes: The rows for everything else; a response that none of them matches is not from the provider.
    init(rows: [ResponseRow], classes: [ResponseRow]) {
        self.rows = rows
        self.classes = classes
        exact = Dictionary(
            rows.compactMap { row in
                row.reason.flatMap { BoundedName($0) }
                    .map { (Key(status: row.statuses.lowerBound, reason: $0), row) }
            },
            uniquingKeysWith: { first, _ in first }
        )
        words = Set(rows.compactMap { $0.reason.flatMap { BoundedName($0) } })
    }

    /// Returns the row for a response.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - reason: The provider's reason as received.
    /// - Returns: The row; a status that no class matches counts as a configuration error, because no provider sends
    ///   it.
    package func row(status: Int, reason: String?) -> ResponseRow {
        if let reason = reason.flatMap({ BoundedName($0) }), let row = exact[Key(status: status, reason: reason)] {
            return row
        }
        return classes.first { $0.statuses.contains(status) } ?? ResponseRow(status, nil, .misconfigured)
    }

    /// Returns a reason that is safe to store: unchanged when it is documented, else only its letters, digits and
    /// `._-`.
    ///
    /// - Parameter word: The reason as received.
    /// - Returns: At most 64 bytes of ASCII; nil when nothing is left.
    package func known(_ word: String?) -> String? {
        guard let word else { return nil }
        if BoundedName(word).map(words.contains) == true { return word }
        let kept = word.utf8.lazy.filter { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        let text = String(decoding: Array(kept.prefix(64)), as: UTF8.self)
        return text.isEmpty ? nil : text
    }

    /// Combines a row with the details of a response.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - reason: The provider's reason as received.
    ///   - providerID: The provider's id of the push.
    ///   - deadSince: The time since which the token is unregistered, as the provider reports it.
    ///   - retryAfterSeconds: The value of Retry-After, if there is one.
    /// - Returns: The verdict.
    package func verdict(
        _ row: ResponseRow,
        reason: String?,
        providerID: String? = nil,
        deadSince: Timestamp? = nil,
        retryAfterSeconds: Int64? = nil
    ) -> ResponseVerdict {
        let outcome: PushOutcome =
            switch row.effect {
            case .accepted: .accepted(providerID: providerID)
            case .unregistered: .unregistered(since: deadSince)
            case .retry(let scope, let seconds):
                // Only the table may allow an immediate retry: obeying a provider's Retry-After of 0 would be a storm.
                // With errors that may concern one device, only an overloaded provider sends a time.
                .retry(
                    afterSeconds: retryAfterSeconds.map { max($0, 1) } ?? seconds,
                    scope: scope == .laneIfSeveral && retryAfterSeconds != nil ? .lane : scope
                )
            case .rejected(let token): .rejected(token: token)
            case .misconfigured: .misconfigured
            case .platformMisconfigured: .platformMisconfigured
            }
        return ResponseVerdict(outcome: outcome, reason: known(reason), remedy: row.remedy)
    }
}
