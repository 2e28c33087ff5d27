package import GatewayModel

/// The number of pushes that may leave now under one quota of a provider: a token bucket without a clock.
///
/// It holds the pushes of one second, and fills so that in no 60 seconds, whenever they begin, more leave than the
/// quota. The rate begins at ``floorPerSecond`` and rises to the full one within a minute of use, as Google asks of
/// senders of many pushes (firebase.google.com/docs/cloud-messaging/scale-fcm: "ramp up from 0 to max RPS over at least
/// 60 seconds"); after a minute without use the ramp starts again.
package struct QuotaBucket: Sendable {
    /// The lowest rate, in pushes per second: far more than agents write, far less than what needs a ramp.
    static let floorPerSecond: Int64 = 1000
    /// The time in which the rate rises, in seconds.
    static let rampSeconds: Int64 = 60
    /// The wait after which an empty bucket is checked again, in milliseconds.
    private static let waitMilliseconds: Int64 = 20

    private let full: Int64
    private let least: Int64
    /// The number of pushes that may leave in a second now.
    package private(set) var rate: Int64
    /// The content in thousandths of a push.
    private var held: Int64
    private var filledAt: Timestamp
    /// Pushes since the start of the second whose use changes the rate.
    private var used: Int64 = 0
    private var secondBegan: Timestamp

    /// Creates a full bucket of a group of lanes that has sent nothing.
    package init(perMinute: Int64, now: Timestamp) {
        // A full bucket plus 60 s of its rate is the quota of a minute.
        full = max(perMinute / 61, 1)
        least = min(Self.floorPerSecond, full)
        rate = least
        held = rate * 1000
        filledAt = now
        secondBegan = now
    }

    /// Adds what the time since the last call has brought; a clock that was set back adds nothing.
    package mutating func fill(now: Timestamp) {
        let passed = min(max(now.milliseconds - filledAt.milliseconds, 0), Self.rampSeconds * 1000)
        held = min(held + passed * rate, rate * 1000)
        filledAt = now
        let seconds = (now.milliseconds - secondBegan.milliseconds) / 1000
        guard seconds != 0 || now < secondBegan else { return }
        if seconds > 0 { changeRate(after: seconds) }
        used = 0
        secondBegan = now
    }

    /// Raises the rate by a step after a second in which at least half of what may leave left, and lowers it after any
    /// other.
    private mutating func changeRate(after seconds: Int64) {
        let step = max((full - least) / Self.rampSeconds, 1)
        let idle = min(seconds - 1, 10 * Self.rampSeconds)
        let raised = used * 2 >= rate ? rate + step : rate - step
        rate = min(max(raised - idle * step, least), full)
        held = min(held, rate * 1000)
    }

    /// Returns whether a push of a class may leave; a tenth of the bucket is reserved for agents.
    package func admits(_ pushClass: PushClass) -> Bool { held >= needed(for: pushClass) }

    private func needed(for pushClass: PushClass) -> Int64 {
        pushClass == .agent || rate < 20 ? 1000 : 1000 + rate * 100
    }

    /// Removes one push from the bucket.
    package mutating func take() {
        held -= 1000
        used += 1
    }

    /// Returns when the bucket should be checked again for a class that is not admitted; later than the last call of
    /// ``fill(now:)``.
    package func next(for pushClass: PushClass) -> Timestamp {
        let missing = max(needed(for: pushClass) - held, 0) + (Self.waitMilliseconds - 1) * rate
        return filledAt.adding(milliseconds: max((missing + rate - 1) / rate, 1))
    }
}
