package import GatewayModel

/// The number of rows that a lane can still take into memory, by class.
///
/// A quarter of a lane's slots is reserved for agents' messages and badges, so that they find room whatever a campaign
/// brings.
package struct LaneRoom {
    /// The number of rows of any class.
    package private(set) var free: Int
    private let slots: Int
    private var rows: RowCounts
    private var proactiveFree: Int

    /// Creates the room of a lane that may have `slots` rows in memory.
    package init(slots: Int, _ rows: RowCounts) {
        self.slots = slots
        self.rows = rows
        free = max(slots - rows.total, 0)
        proactiveFree = max(min(Self.slots(of: .proactive, slots) - rows[.proactive], free), 0)
    }

    private static func slots(of pushClass: PushClass, _ slots: Int) -> Int {
        pushClass == .proactive ? max(slots * 3 / 4, min(slots, 1)) : slots
    }

    /// The number of rows of a class.
    package subscript(pushClass: PushClass) -> Int { pushClass == .proactive ? proactiveFree : free }

    /// Returns whether a claim would bring more than a few rows of a class, and so is worth its statements; false when
    /// there is no room for any.
    package func isWorthAClaim(_ pushClass: PushClass) -> Bool {
        let free = self[pushClass]
        return free > 0 && (rows[pushClass] == 0 || free >= max(Self.slots(of: pushClass, slots) / 4, 1))
    }

    /// Reserves room.
    package mutating func take(_ count: Int, _ pushClass: PushClass) {
        free = max(free - count, 0)
        proactiveFree = min(pushClass == .proactive ? max(proactiveFree - count, 0) : proactiveFree, free)
    }
}
