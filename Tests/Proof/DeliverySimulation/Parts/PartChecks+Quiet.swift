import Delivery
import GatewayModel

extension PartChecks {
    /// Time zones without daylight saving time, with their offsets from UTC in minutes.
    private static var zones: [(name: String, minutes: Int)] {
        [("UTC", 0), ("Asia/Kolkata", 330), ("America/Phoenix", -420), ("Pacific/Kiritimati", 840)]
    }

    /// Checks that it is quiet while the local clock shows a minute between the beginning and the end.
    mutating func checkQuietSpan() throws(Violation) {
        for _ in 0..<24 {
            let zone = Self.zones[random.below(Self.zones.count)]
            let from = random.below(1440)
            let length = random.chance(10) ? 1440 : random.between(1, 1439)
            // The offset into its day at which it just begins, ends or still holds.
            let place = [0, length, random.below(1440), 1439][random.below(4)] % 1440
            let millisecond = [0, 1, 59_999][random.below(3)]
            let start = SimulatedWorld.start / 86_400_000 * 1440 + Int64(1440 * random.below(400))
            let minute = start + Int64(from + place - zone.minutes)
            let moment = Timestamp(milliseconds: minute * 60_000 + Int64(millisecond))
            let mode: QuietHours.Mode = [.held, .silent, .off][random.below(3)]
            let hours = QuietHours(from: from, to: (from + length) % 1440, timeZone: "UTC", mode: mode)
            let span = QuietSpan(hours, timeZone: zone.name, at: moment)
            let isQuiet = mode != .off && place < length
            let change = mode == .off ? 1440 : isQuiet ? length - place : 1440 - place
            // With the mode `off`, nothing changes; the span lasts a day.
            let left = Int64(change * 60_000 - (mode == .off ? 0 : millisecond))
            let until = moment.adding(milliseconds: left)
            try agree("whether it is quiet", span.isQuiet, isQuiet)
            try agree("until when it is quiet", span.until, until)
            try agree("whether the span begins earlier", span.holds(at: moment.adding(milliseconds: -1)), false)
            try agree("whether the span contains the time", span.holds(at: moment), true)
            try agree("whether the span contains its last moment", span.holds(at: until.adding(milliseconds: -1)), true)
            try agree("whether the span contains its end", span.holds(at: until), false)
        }
    }
}
