package import GatewayModel

/// The number of pushes of a campaign or a lane that may leave now: a token bucket without a clock.
///
/// It fills at the rate and holds 80 ms of it, at least one push. A part leaves at once, because an agent's
/// message may wait for the turn of the writer that claims it. What stays is at most half of a full bucket, so that
/// there is room for 40 ms, and no pace is lost while turns are no rarer.
package struct PushPace: Sendable {
    /// The size of a bucket, in milliseconds of its rate.
    private static let milliseconds: Int64 = 80

    /// The content in thousandths of a push, so that no rate is lost to rounding.
    private var held: Int64
    private var filledAt: Timestamp

    /// Creates a full bucket.
    package init(perSecond: Int64, now: Timestamp) {
        held = Self.size(perSecond)
        filledAt = now
    }

    private static func size(_ perSecond: Int64) -> Int64 { max(perSecond * milliseconds, 1000) }

    /// The content of a bucket that is not worth dividing: 64 pushes or 8 ms of the rate.
    private static func piece(_ perSecond: Int64) -> Int64 { max(64_000, perSecond * 8) }

    /// Adds what the time since the last call has brought; a clock that was set back adds nothing.
    package mutating func fill(perSecond: Int64, now: Timestamp) {
        let passed = min(max(now.milliseconds - filledAt.milliseconds, 0), 1_000_000)
        held = min(held + passed * perSecond, Self.size(perSecond))
        filledAt = now
    }

    /// Returns the number of pushes that may leave at once: half of those in the bucket, but not fewer than 64 or 8 ms
    /// of the rate while it holds them.
    ///
    /// Turns that are rare find a fuller bucket, and so take as many in each as come between them.
    package func pushes(perSecond: Int64) -> Int {
        let whole = held / 1000
        return Int(min(whole, max(Self.piece(perSecond) / 1000, (whole + 1) / 2)))
    }

    /// Whether no push may leave.
    package var isEmpty: Bool { held < 1000 }

    /// Removes pushes from the bucket; more than it holds when the campaign had no pace meanwhile.
    package mutating func take(_ count: Int) { held = max(held - Int64(count) * 1000, 0) }

    /// Returns when the bucket should be checked again: when it holds 64 pushes or 8 ms of the rate, but no later than
    /// after 20 ms or one push.
    ///
    /// - Returns: A time not before `now`, unless that time has already passed.
    package func nextPush(perSecond: Int64, now: Timestamp) -> Timestamp {
        let missing = max(min(Self.piece(perSecond), perSecond * 20), 1000) - held
        // If the clock was set back, the next call of fill() starts from the new time.
        guard missing > 0, filledAt <= now else { return now }
        return filledAt.adding(milliseconds: (missing + perSecond - 1) / perSecond)
    }
}
