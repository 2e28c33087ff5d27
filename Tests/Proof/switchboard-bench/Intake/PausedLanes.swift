import GatewayModel

/// Lanes without credentials: nothing is sent, accepted events wait.
struct PausedLanes: LaneDirectory {
    func lane(_ id: LaneID) -> LaneDescription? { nil }
}
