package import GatewayModel

/// How many pushes of a campaign may leave now: a token bucket without a clock.
///
/// It fills at the campaign's rate and holds what 40 ms bring, at least one push: more would be claimed at once, and an agent's
/// message would wait for that turn of the writer.
package struct CampaignPace: Sendable {
    /// The size of a bucket, in milliseconds of its rate.
    private static let milliseconds: Int64 = 40

    /// In thousandths of a push, so that no rate is lost to rounding.
    private var held: Int64
    private var filledAt: Timestamp

    /// A full bucket.
    ///
    /// - Parameters:
    ///   - perSecond: The campaign's rate.
    ///   - now: The wall clock.
    package init(perSecond: Int64, now: Timestamp) {
        held = Self.size(perSecond)
        filledAt = now
    }

    private static func size(_ perSecond: Int64) -> Int64 { max(perSecond * milliseconds, 1000) }

    /// Lets in what the time since the last call has brought; a clock that was set back brings nothing.
    ///
    /// - Parameters:
    ///   - perSecond: The campaign's rate.
    ///   - now: The wall clock.
    package mutating func fill(perSecond: Int64, now: Timestamp) {
        let passed = min(max(now.milliseconds - filledAt.milliseconds, 0), 1_000_000)
        held = min(held + passed * perSecond, Self.size(perSecond))
        filledAt = now
    }

    /// How many pushes may leave.
    package var pushes: Int { Int(held / 1000) }

    /// Takes pushes.
    ///
    /// - Parameter count: How many.
    package mutating func take(_ count: Int) { held -= Int64(count) * 1000 }

    /// When it is worth to ask again: half of what it holds is there, at least one push.
    ///
    /// - Parameters:
    ///   - perSecond: The campaign's rate.
    ///   - now: The wall clock.
    /// - Returns: Not before `now`, unless the time for it is over.
    package func nextPush(perSecond: Int64, now: Timestamp) -> Timestamp {
        let missing = max(Self.size(perSecond) / 2, 1000) - held
        // A clock that was set back is where filling goes on from, once it is asked.
        guard missing > 0, filledAt <= now else { return now }
        return filledAt.adding(milliseconds: (missing + perSecond - 1) / perSecond)
    }
}
