package import GatewayModel
import GatewayStorage

extension DeliveryMachine {
    /// Returns for each lane with urgent pushes that could leave, if nothing stopped the lane, since when the first of
    /// them has waited.
    ///
    /// Of a row in memory that is the time when it was queued, of rows in the store the time when the first is due.
    /// Proactive pushes do not count: campaigns are slow on purpose. Looks at the first rows only, not at all of them.
    package func waitingSince(now: Timestamp) -> [LaneID: Timestamp] {
        var since: [LaneID: Timestamp] = [:]
        for (id, lane) in lanes.busyLanes where !lane.isClosed {
            let ready = lane.ready.firstUrgent.compactMap { registrations[$0]?.head?.queuedAt }
            let stored = [lane.backlog[.agent], lane.backlog[.badge]].compactMap { $0 }.filter { $0 <= now }
            since[id] = (ready + stored).min()
        }
        return since
    }
}
