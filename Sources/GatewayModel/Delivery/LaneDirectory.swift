/// The lanes as the delivery core reads them.
package protocol LaneDirectory: Sendable {
    /// Returns the description of a lane, or nil when its app was deleted or has no credential for it; callable from
    /// any thread.
    func lane(_ id: LaneID) -> LaneDescription?

    /// The lanes that operators have paused; callable from any thread.
    var pausedLanes: [LaneID] { get }

    /// The paces that operators have set for lanes, in pushes a second, 1 or more; callable from any thread.
    var lanePaces: [LaneID: Int64] { get }
}

extension LaneDirectory {
    /// None are paused.
    package var pausedLanes: [LaneID] { [] }

    /// None has a pace.
    package var lanePaces: [LaneID: Int64] { [:] }
}
