package import GatewayModel

/// The number of pushes of a campaign that may leave now: a token bucket without a clock.
///
/// It fills at the campaign's rate and holds 40 ms of it, at least one push: a fuller bucket would be claimed at once,
/// and an agent's message would wait for that turn of the writer.
package struct CampaignPace: Sendable {
    /// The size of a bucket, in milliseconds of its rate.
    private static let milliseconds: Int64 = 40

    /// The content in thousandths of a push, so that no rate is lost to rounding.
    private var held: Int64
    private var filledAt: Timestamp

    /// Creates a full bucket.
    ///
    /// - Parameters:
    ///   - perSecond: The campaign's rate.
    ///   - now: The wall clock.
    package init(perSecond: Int64, now: Timestamp) {
        held = Self.size(perSecond)
        filledAt = now
    }

    private static func size(_ perSecond: Int64) -> Int64 { max(perSecond * milliseconds, 1000) }

    /// Adds what the time since the last call has brought; a clock that was set back adds nothing.
    ///
    /// - Parameters:
    ///   - perSecond: The campaign's rate.
    ///   - now: The wall clock.
    package mutating func fill(perSecond: Int64, now: Timestamp) {
        let passed = min(max(now.milliseconds - filledAt.milliseconds, 0), 1_000_000)
        held = min(held + passed * perSecond, Self.size(perSecond))
        filledAt = now
    }

    /// The number of pushes that may leave.
    package var pushes: Int { Int(held / 1000) }

    /// Removes pushes from the bucket.
    ///
    /// - Parameter count: The number of pushes; more than it holds when the campaign had no pace meanwhile.
    package mutating func take(_ count: Int) { held = max(held - Int64(count) * 1000, 0) }

    /// Returns when the bucket should be checked again: when it holds half of its size, at least one push.
    ///
    /// - Parameters:
    ///   - perSecond: The campaign's rate.
    ///   - now: The wall clock.
    /// - Returns: A time not before `now`, unless that time has already passed.
    package func nextPush(perSecond: Int64, now: Timestamp) -> Timestamp {
        let missing = max(Self.size(perSecond) / 2, 1000) - held
        // If the clock was set back, the next call of fill() starts from the new time.
        guard missing > 0, filledAt <= now else { return now }
        return filledAt.adding(milliseconds: (missing + perSecond - 1) / perSecond)
    }
}
