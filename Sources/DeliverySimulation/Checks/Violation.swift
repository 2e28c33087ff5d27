/// An invariant that did not hold.
package struct Violation: Error, Sendable, Equatable, CustomStringConvertible {
    /// Which one.
    package var invariant: Invariant
    /// What was seen.
    package var detail: String

    /// The invariant and what was seen, for people.
    package var description: String { "\(invariant.rawValue): \(detail)" }
}
