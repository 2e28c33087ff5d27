import FairSharing
import GatewayModel
import GatewayStorage

/// A limiter that lets typing pass once a second for each side of a conversation: more adds no information.
struct TypingLimiter: Sendable {
    /// One side of a conversation.
    struct Side: Hashable {
        var consumer: ConsumerName
        var conversation: ConversationID
        var byConsumer: Bool
    }

    /// The maximum of sides in memory, shared fairly among brands.
    ///
    /// With so many sides typing within a second, the typing of others is dropped until some sides are evicted.
    static let maxSides = 40_000
    private static let interval: Duration = .seconds(1)

    private var last: [Side: ContinuousClock.Instant] = [:]
    private var slots = FairSlots<BrandID>(capacity: TypingLimiter.maxSides)
    private var forgottenAt: ContinuousClock.Instant?

    /// Returns whether typing may pass now.
    mutating func admits(_ side: Side, now: ContinuousClock.Instant) -> Bool {
        if now - (forgottenAt ?? now) >= Self.interval || forgottenAt == nil {
            for (side, time) in last where now - time >= Self.interval { slots.release(side.consumer.brand) }
            last = last.filter { now - $0.value < Self.interval }
            forgottenAt = now
        }
        if let last = last[side] {
            guard now - last >= Self.interval else { return false }
        } else {
            guard slots.take(side.consumer.brand) else { return false }
        }
        last[side] = now
        return true
    }
}
