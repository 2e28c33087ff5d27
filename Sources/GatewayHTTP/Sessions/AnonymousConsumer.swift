internal import GatewayModel

/// Ids of consumers that have no identifier of their brand's (R28).
enum AnonymousConsumer {
    /// A new random id: a UUID of version 4, which tells nothing and is never guessed.
    static func newID() -> String {
        let high = UInt64.random(in: .min ... .max) & ~0xF000 | 0x4000
        let low = UInt64.random(in: .min ... .max) & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return MessageID(high: high, low: low).description
    }
}
