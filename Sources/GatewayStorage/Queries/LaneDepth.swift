package import GatewayModel

/// The rows of a lane that wait in the store, in no process's memory.
package struct LaneDepth: Sendable, Equatable {
    /// The upper bound of the devices that are counted for each class of one lane: a few milliseconds.
    package static let maxDevices = 10_000
    /// The same for all lanes of a read, which share it equally.
    package static let maxDevicesOfAll = 50_000

    /// The numbers of rows, by class; an absent class has none.
    package var rows: [PushClass: Int64] = [:]
    /// False when a class has more devices with rows than are counted: then its number is of those only.
    package var isWhole = true
    /// When the oldest row of the devices that are due first was queued; nil when there are no rows.
    package var oldestQueuedAt: Timestamp?

    /// Creates the depth of an empty lane.
    package init() {}
}
