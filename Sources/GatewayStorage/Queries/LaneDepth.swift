package import GatewayModel

/// The rows of a lane that wait in the store, in no process's memory.
package struct LaneDepth: Sendable, Equatable {
    /// The upper bound of the devices that are counted for each class; only the number of their rows is read.
    package static let maxDevices = 10_000

    /// The numbers of rows, by class; an absent class has none.
    package var rows: [PushClass: Int64] = [:]
    /// False when a class has more than ``maxDevices`` devices with rows: then its number counts only those.
    package var isWhole = true
    /// When the oldest row of the devices that are due first was queued; nil when there are no rows.
    package var oldestQueuedAt: Timestamp?

    /// Creates the depth of an empty lane.
    package init() {}
}
