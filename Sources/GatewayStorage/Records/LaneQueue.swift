package import GatewayModel

/// A queue of a lane.
package struct LaneQueue: Hashable, Sendable, Comparable {
    /// The lane.
    package var lane: LaneID
    /// Its queue.
    package var queue: OutboxQueue

    /// Creates a queue of a lane.
    package init(_ lane: LaneID, _ queue: OutboxQueue) {
        self.lane = lane
        self.queue = queue
    }

    package static func < (left: LaneQueue, right: LaneQueue) -> Bool {
        (left.lane.rawValue, left.queue) < (right.lane.rawValue, right.queue)
    }
}
