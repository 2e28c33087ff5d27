package import GatewayModel
internal import TextFormats

/// A provider's table of answers: exact rows first, then the rows of the status classes.
package struct AnswerTable: Sendable {
    private struct Key: Hashable {
        var status: Int
        var reason: BoundedName
    }

    /// The rows of the provider's documents.
    package let rows: [AnswerRow]
    /// The rows that an answer falls to whose word is absent or unknown; the first that matches counts.
    package let classes: [AnswerRow]
    private let exact: [Key: AnswerRow]
    private let words: Set<BoundedName>

    /// Builds the table.
    ///
    /// - Parameters:
    ///   - rows: The rows of the provider's documents, each for one status and one word.
    ///   - classes: The rows for everything else; an answer that none of them is for means that somebody else answers.
    init(rows: [AnswerRow], classes: [AnswerRow]) {
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

    /// The row for an answer.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - reason: The provider's word as it came.
    /// - Returns: The row; for a status that no class is for, the set-up is wrong, because no provider answers so.
    package func row(status: Int, reason: String?) -> AnswerRow {
        if let reason = reason.flatMap({ BoundedName($0) }), let row = exact[Key(status: status, reason: reason)] {
            return row
        }
        return classes.first { $0.statuses.contains(status) } ?? AnswerRow(status, nil, .misconfigured)
    }

    /// A word as it may be kept: itself when the documents know it, else only letters, digits and `._-` of it.
    ///
    /// - Parameter word: The word as it came.
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

    /// Puts the details of one answer into its row.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - reason: The provider's word as it came.
    ///   - providerID: The provider's id of the push.
    ///   - deadSince: When the token died, as the provider says.
    ///   - retryAfterSeconds: Retry-After, if there is one.
    /// - Returns: The verdict.
    package func verdict(
        _ row: AnswerRow,
        reason: String?,
        providerID: String? = nil,
        deadSince: Timestamp? = nil,
        retryAfterSeconds: Int64? = nil
    ) -> AnswerVerdict {
        let outcome: PushOutcome =
            switch row.effect {
            case .accepted: .accepted(providerID: providerID)
            case .unregistered: .unregistered(since: deadSince)
            case .retry(let scope, let seconds):
                // Only the table may say "at once": a provider's 0 is the shortest wait it wants, and a storm if obeyed.
                // Only an overloaded provider names a time with what may be one device's fault.
                .retry(
                    afterSeconds: retryAfterSeconds.map { max($0, 1) } ?? seconds,
                    scope: scope == .laneIfSeveral && retryAfterSeconds != nil ? .lane : scope
                )
            case .rejected(let token): .rejected(token: token)
            case .misconfigured: .misconfigured
            case .platformMisconfigured: .platformMisconfigured
            }
        return AnswerVerdict(outcome: outcome, reason: known(reason), remedy: row.remedy)
    }
}
