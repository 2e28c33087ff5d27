/// The SQL of this target's texts, and its differences from that of an engine.
///
/// The texts run on SQLite 3.35 or later unchanged; ``postgreSQL(_:)`` translates one for PostgreSQL 15 or later. They
/// keep to what both know:
/// - Parameters are `?`, or `?1`, `?2` where one occurs twice or out of order.
/// - Integers have 64 bits and their division truncates; a sum of them is `CAST(... AS BIGINT)`. A truth value is stored
///   as 0 or 1. The largest integer stands for a missing limit.
/// - A row that exists is left by `ON CONFLICT DO NOTHING`, and changed by `ON CONFLICT (...) DO UPDATE`, where the
///   stored columns are named with their table; not `INSERT OR IGNORE`, `INSERT OR REPLACE`.
/// - Generated keys and the rows of a bulk change are read by `RETURNING`, in no order; not from the connection.
/// - `UPDATE` and `DELETE` have no `LIMIT`: they select the keys by a subquery. A subquery after `FROM` has a name.
/// - The larger of two values is a `CASE`, or is found by the caller: `max` of two values is SQLite's.
/// - Texts compare as bytes: the schema declares the order of their columns. A column that can be null is sorted with
///   `NULLS FIRST` or `NULLS LAST`.
/// - JSON is read and written by the caller. No hints for the planner, and no `rowid`, which only SQLite has: how rows
///   are stored (`WITHOUT ROWID`, partitions) is a matter of the engine's schema.
package enum SQLDialect {
    /// Returns a text for PostgreSQL, whose parameters are `$1`, `$2`.
    ///
    /// - Parameter text: A text of this target. A `?` between quotation marks is no parameter. One without a number has
    ///   the number after the largest before it.
    /// - Returns: The text with its parameters replaced.
    package static func postgreSQL(_ text: String) -> String {
        var (translated, largest, quote) = ("", 0, nil as Character?)
        var rest = Substring(text)
        while let character = rest.popFirst() {
            if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
            }
            guard character == "?", quote == nil else {
                translated.append(character)
                continue
            }
            let digits = rest.prefix { ("0"..."9").contains($0) }
            rest = rest.dropFirst(digits.count)
            let number = Int(digits) ?? largest + 1
            largest = max(largest, number)
            translated += "$\(number)"
        }
        return translated
    }
}
