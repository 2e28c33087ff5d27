/// The effect of a change of settings on a lane; each case includes those before it.
package enum LaneChange: Int, Sendable, Comparable {
    /// The time at which its pushes are sent, and summaries: nothing that affects its provider.
    case rules
    /// The content of its pushes: its provider is created again.
    case rendering
    /// Its credential or its endpoints, perhaps to the same ones: its provider is created again, and the earlier
    /// responses of the provider no longer count.
    case credential

    package static func < (left: LaneChange, right: LaneChange) -> Bool { left.rawValue < right.rawValue }
}
