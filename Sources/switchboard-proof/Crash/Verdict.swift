/// What a run shows: each promise with its count, and examples of what broke it.
struct Verdict: Sendable {
    /// One line of the table.
    struct Line: Sendable {
        /// What is counted.
        var name: String
        /// The count.
        var value: String
        /// What it must be, in words; nil when nothing is promised.
        var bound: String?
        /// Whether the promise holds.
        var holds = true
        /// Up to five of what broke it.
        var examples: [String] = []
    }

    /// In order of the table.
    var lines: [Line] = []

    /// Whether every promise holds.
    var holds: Bool { lines.allSatisfy(\.holds) }

    /// Adds a fact that promises nothing.
    mutating func note(_ name: String, _ value: String) { lines.append(Line(name: name, value: value)) }

    /// Adds a promise that nothing is found.
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

    /// Adds a promise of a limit.
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
