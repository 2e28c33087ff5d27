/// The result of a run: each promise with its count, and examples of its violations.
struct Verdict: Sendable {
    /// One line of the table.
    struct Line: Sendable {
        /// The name of the count.
        var name: String
        /// The count.
        var value: String
        /// The required value, in words; nil when nothing is promised.
        var bound: String?
        /// Whether the promise holds.
        var holds = true
        /// Up to five examples of violations.
        var examples: [String] = []
    }

    /// The lines in the order of the table.
    var lines: [Line] = []

    /// Whether every promise holds.
    var holds: Bool { lines.allSatisfy(\.holds) }

    /// Adds a count without a promise.
    mutating func note(_ name: String, _ value: String) { lines.append(Line(name: name, value: value)) }

    /// Adds a promise that there are none.
    mutating func promiseNone(_ name: String, _ found: [String]) {
        lines.append(
            Line(
                name: name,
                value: "\(found.count)",
                bound: "0",
                holds: found.isEmpty,
                examples: Array(found.prefix(5))
            )
        )
    }

    /// Adds a promise of an upper bound.
    mutating func promise(_ name: String, _ count: Int, atMost limit: Int, examples: [String]) {
        lines.append(
            Line(
                name: name,
                value: "\(count)",
                bound: "<= \(limit)",
                holds: count <= limit,
                examples: count <= limit ? [] : Array(examples.prefix(5))
            )
        )
    }
}
