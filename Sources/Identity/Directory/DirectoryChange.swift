package import GatewayModel

/// The effect of an administrative change on the subscribers of the directory.
package struct DirectoryChange: Sendable, Equatable {
    /// Lanes that can send and are new, or whose part of their app changed, or whose app was put again unchanged, or
    /// whose brand changed.
    package var changedLanes: [LaneID] = []
    /// The kind of their change.
    package var laneChange = LaneChange.credential
    /// Lanes that can no longer send: their app was deleted, or has no credential for their transport any more.
    package var removedLanes: [LaneID] = []
    /// Lanes that an operator paused (true) or resumed (false).
    package var pausedLanes: [LaneID: Bool] = [:]
    /// Lanes whose pace an operator set, in pushes a second, or removed (nil).
    package var pacedLanes: [LaneID: Int64?] = [:]
}
