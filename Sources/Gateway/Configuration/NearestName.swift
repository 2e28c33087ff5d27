/// Suggests the intended name for a misspelled one.
package enum NearestName {
    /// Returns the candidate with the fewest edits; nil when nothing is near: more than half of the name, and more than
    /// three letters, would have to change.
    package static func nearest(to name: String, among candidates: [String]) -> String? {
        let best = candidates.map { ($0, distance(name.lowercased(), $0.lowercased())) }.min { $0.1 < $1.1 }
        guard let best, best.1 <= max(3, name.count / 2) else { return nil }
        return best.0
    }

    /// Returns the Levenshtein distance: insertions, deletions and replacements of one character.
    static func distance(_ first: String, _ second: String) -> Int {
        let first = Array(first)
        let second = Array(second)
        var row = Array(0...second.count)
        for (index, character) in first.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for other in second.indices {
                let replaced = diagonal + (character == second[other] ? 0 : 1)
                diagonal = row[other + 1]
                row[other + 1] = min(replaced, row[other] + 1, row[other + 1] + 1)
            }
        }
        return row[second.count]
    }
}
