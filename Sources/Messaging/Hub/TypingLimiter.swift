import GatewayModel
import GatewayStorage

/// Lets one typing a second pass for each side of a conversation: more says nothing more.
struct TypingLimiter: Sendable {
    /// One side of a conversation.
    struct Side: Hashable {
        var consumer: ConsumerName
        var conversation: ConversationID
        var byConsumer: Bool
    }

    /// Sides that are kept at once; when so many typed within a second, what others type is lost until some are forgotten.
    static let maxSides = 20_000
    private static let interval: Duration = .seconds(1)

    private var last: [Side: ContinuousClock.Instant] = [:]
    private var forgottenAt: ContinuousClock.Instant?

    /// Whether typing may pass now.
    mutating func admits(_ side: Side, now: ContinuousClock.Instant) -> Bool {
        if now - (forgottenAt ?? now) >= Self.interval || forgottenAt == nil {
            last = last.filter { now - $0.value < Self.interval }
            forgottenAt = now
        }
        if let last = last[side], now - last < Self.interval { return false }
        guard last.count < Self.maxSides else { return false }
        last[side] = now
        return true
    }
}
