package import GatewayModel

/// The rows of a device in one queue that no incarnation owns, and the time until which they wait.
package struct WaitingRows: Sendable {
    /// The queue of the lane.
    package var queue: OutboxQueue
    /// The number of the lane.
    package var lane: Int64
    /// The time from which a claim returns them, in milliseconds since 1970; nil until the lane, which has the most of
    /// the device's rows in memory already, recalls them.
    package var due: Int64?
    /// The time until which a provider wants none, in milliseconds since 1970; 0 when it named none.
    package var notBefore: Int64
    /// The number of the rows, at least 1.
    package var rows: Int64

    /// Creates the wait of a queue's rows.
    package init(queue: OutboxQueue, lane: Int64, due: Int64?, notBefore: Int64, rows: Int64) {
        self.queue = queue
        self.lane = lane
        self.due = due
        self.notBefore = notBefore
        self.rows = rows
    }
}
