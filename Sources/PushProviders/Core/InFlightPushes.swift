import GatewayModel

/// The pushes in flight, by request number, with the data to report their results.
struct InFlightPushes {
    struct Push {
        var delivery: DeliveryID
        var badge: Int64?
        var sentAt: Timestamp
        var start: UInt64
        var token: UInt64
        var connection: UInt64
    }

    private var slots: [Push?] = []
    private var free: [Int] = []

    var count: Int { slots.count - free.count }

    mutating func add(_ push: Push) -> UInt64 {
        if let slot = free.popLast() {
            slots[slot] = push
            return UInt64(slot)
        }
        slots.append(push)
        return UInt64(slots.count - 1)
    }

    /// Removes a push; nil when the number is not in flight.
    mutating func remove(_ id: UInt64) -> Push? {
        guard id < slots.count, let push = slots[Int(id)] else { return nil }
        slots[Int(id)] = nil
        free.append(Int(id))
        return push
    }
}
