/// What an operator changed of a lane, each including those before it.
package enum LaneChange: Int, Sendable, Comparable {
    /// When its pushes leave and whether several become one: nothing that its provider has to know.
    case rules
    /// What its pushes say: its provider is made anew.
    case rendering
    /// Its credential or its endpoints, perhaps to the same ones: its provider is made anew, and nothing that the provider
    /// said before counts any more.
    case credential

    package static func < (left: LaneChange, right: LaneChange) -> Bool { left.rawValue < right.rawValue }
}
