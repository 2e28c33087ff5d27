package import GatewayModel
import GatewayStorage

extension DeliveryMachine {
    /// Returns the state of a lane; its work does not depend on the number of rows.
    package func status(of id: LaneID, now: Timestamp) -> LaneStatus {
        var status = LaneStatus()
        guard let lane = lanes[id] else { return status }
        status.rows = lane.rows
        status.inFlight = lane.inFlight
        status.oldestQueuedAt = lane.ready.firsts.compactMap { registrations[$0]?.head?.queuedAt }.min()
        status.stoppedPlatforms = lane.platforms.mapValues(\.until)
        if lane.isPaused {
            status.state = .paused
        } else if lane.isRemoved {
            status.state = .closed
        } else if lane.invalidation.isSuspended {
            status.state = .suspended
            status.nextTryAt = lane.blockedUntil(now: now)
        } else if lane.breaker != .closed {
            status.state = .stopped
            status.nextTryAt = lane.blockedUntil(now: now)
            status.cause = lane.cause
        } else if lane.pause.until != nil {
            status.state = .overloaded
            status.nextTryAt = lane.blockedUntil(now: now)
            status.cause = lane.cause
        } else if let until = lane.quotaUntil(now: now) {
            status.state = .quota
            status.nextTryAt = until
        } else if lane.rows.total > 0 {
            status.state = .sending
        }
        return status
    }
}
