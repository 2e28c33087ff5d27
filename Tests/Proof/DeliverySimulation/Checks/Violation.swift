/// An invariant that did not hold.
package struct Violation: Error, Sendable, Equatable, CustomStringConvertible {
    /// The invariant.
    package var invariant: Invariant
    /// The observation, in words.
    package var detail: String

    /// The invariant and the observation, for people.
    package var description: String { "\(invariant.rawValue): \(detail)" }
}
