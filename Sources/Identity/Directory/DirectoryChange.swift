package import GatewayModel

/// What an administrative change means for those who hold something of the directory.
package struct DirectoryChange: Sendable, Equatable {
    /// Lanes that can send and are new, or whose part of their app was changed, or whose app was put again as it was, or whose
    /// brand changed.
    package var changedLanes: [LaneID] = []
    /// What changed of them.
    package var laneChange = LaneChange.credential
    /// Lanes that can no longer send: their app is gone, or has no credential for their transport any more.
    package var removedLanes: [LaneID] = []
}
