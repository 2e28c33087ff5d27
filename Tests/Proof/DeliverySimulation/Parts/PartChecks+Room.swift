import Delivery
import GatewayModel

extension PartChecks {
    private static var classes: [PushClass] { [.agent, .badge, .proactive] }

    /// Checks that the room of a lane is its slots without its rows and without what was taken since.
    mutating func checkRoom() throws(Violation) {
        for _ in 0..<8 {
            let slots = random.below(20)
            var held = (others: random.below(6), proactive: random.below(8))
            let rows = RowCounts(agent: held.others, proactive: held.proactive)
            var room = LaneRoom(slots: slots, rows)
            for _ in 0..<6 {
                let most = slots < 2 ? slots : max(slots * 3 / 4, 1)
                let free = max(slots - held.others - held.proactive, 0)
                let proactive = max(min(most - held.proactive, free), 0)
                try agree("the room", room.free, free)
                try agree("the room of what is proactive", room[.proactive], proactive)
                for pushClass in Self.classes {
                    let (share, left) = pushClass == .proactive ? (most, proactive) : (slots, free)
                    let isEnough = rows[pushClass] == 0 || left >= share / 4
                    try agree("whether a claim is worth it", room.isWorthAClaim(pushClass), left > 0 && isEnough)
                }
                let (count, pushClass) = (random.below(4), Self.classes[random.below(3)])
                room.take(count, pushClass)
                if pushClass == .proactive { held.proactive += count } else { held.others += count }
            }
        }
    }

    /// Checks that the estimate rises at once, and falls by an eighth of the difference, at least 1.
    mutating func checkRowsPerEvent() throws(Violation) {
        var rows = RowsPerEvent()
        var expected = 1
        for _ in 0..<30 {
            let (deliveries, events) = (random.below(60), random.below(4))
            rows.note(deliveries: deliveries, of: events, brand: SimulatedWorld.brands[0])
            if events > 0 {
                let exact = max(Int((Double(deliveries) / Double(events)).rounded(.up)), 1)
                expected = exact < expected ? expected - max((expected - exact) / 8, 1) : exact
            }
            try agree("rows of an event", rows.perEvent(of: SimulatedWorld.brands[0]), expected)
        }
    }
}
