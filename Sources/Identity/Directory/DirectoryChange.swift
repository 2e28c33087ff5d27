package import GatewayModel

/// What an administrative change means for those who hold something of the directory.
package struct DirectoryChange: Sendable, Equatable {
    /// Lanes that are new or whose app was put again, unchanged or not: their provider is to be made anew.
    package var changedLanes: [LaneID] = []
    /// Lanes that can no longer send: their app is gone, or has no credential for their transport any more.
    package var removedLanes: [LaneID] = []
}
