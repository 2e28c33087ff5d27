package import GatewayModel

/// How many pushes may leave now of those that a provider counts together: a token bucket without a clock.
///
/// It holds what one second brings, and fills so that in no 60 seconds, whenever they begin, more leave than the quota. The
/// rate begins at ``floorPerSecond`` and rises to the full one within a minute of being used, as Google asks of whoever sends
/// to many (firebase.google.com/docs/cloud-messaging/scale-fcm: "ramp up from 0 to max RPS over at least 60 seconds"); what
/// is not used for a minute begins anew.
package struct QuotaBucket: Sendable {
    /// The least rate, in pushes a second: far more than agents write, far less than what needs a ramp.
    static let floorPerSecond: Int64 = 1000
    /// How long the rate rises, in seconds.
    static let rampSeconds: Int64 = 60
    /// When the bucket is empty it is asked again after what this many milliseconds bring.
    private static let waitMilliseconds: Int64 = 20

    private let full: Int64
    private let least: Int64
    /// How many pushes may leave in a second now.
    package private(set) var rate: Int64
    /// In thousandths of a push.
    private var held: Int64
    private var filledAt: Timestamp
    /// Pushes since the second began by whose use the rate changes.
    private var used: Int64 = 0
    private var secondBegan: Timestamp

    /// A full bucket of a group that has sent nothing.
    ///
    /// - Parameters:
    ///   - perMinute: The quota.
    ///   - now: The wall clock.
    package init(perMinute: Int64, now: Timestamp) {
        // A full bucket and 60 s of its rate are the quota of a minute.
        full = max(perMinute / 61, 1)
        least = min(Self.floorPerSecond, full)
        rate = least
        held = rate * 1000
        filledAt = now
        secondBegan = now
    }

    /// Lets in what the time since the last call has brought; a clock that was set back brings nothing.
    ///
    /// - Parameter now: The wall clock.
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

    /// A second in which half of what may leave left raises the rate by a step, any other lowers it.
    private mutating func changeRate(after seconds: Int64) {
        let step = max((full - least) / Self.rampSeconds, 1)
        let idle = min(seconds - 1, 10 * Self.rampSeconds)
        let raised = used * 2 >= rate ? rate + step : rate - step
        rate = min(max(raised - idle * step, least), full)
        held = min(held, rate * 1000)
    }

    /// Whether a push of a class may leave; a tenth of the bucket is left to agents.
    ///
    /// - Parameter pushClass: The class.
    /// - Returns: Whether it may.
    package func admits(_ pushClass: PushClass) -> Bool { held >= needed(for: pushClass) }

    private func needed(for pushClass: PushClass) -> Int64 {
        pushClass == .agent || rate < 20 ? 1000 : 1000 + rate * 100
    }

    /// A push leaves.
    package mutating func take() {
        held -= 1000
        used += 1
    }

    /// When it is worth to ask again for a class that is not admitted.
    ///
    /// - Parameter pushClass: The class.
    /// - Returns: Later than the last call of ``fill(now:)``.
    package func next(for pushClass: PushClass) -> Timestamp {
        let missing = max(needed(for: pushClass) - held, 0) + (Self.waitMilliseconds - 1) * rate
        return filledAt.adding(milliseconds: max((missing + rate - 1) / rate, 1))
    }
}
