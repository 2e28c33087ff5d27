import GatewayModel

/// What is needed to answer pushes that are on their way, by the request's number.
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

    /// Takes a push out; nil when the number is not on its way.
    mutating func remove(_ id: UInt64) -> Push? {
        guard id < slots.count, let push = slots[Int(id)] else { return nil }
        slots[Int(id)] = nil
        free.append(Int(id))
        return push
    }
}
