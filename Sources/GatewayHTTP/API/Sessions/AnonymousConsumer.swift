internal import GatewayModel

/// Ids of consumers without an identifier of their brand (R28).
enum AnonymousConsumer {
    /// Creates a random id: a UUID of version 4, which reveals nothing and cannot be guessed.
    static func newID() -> String {
        let high = UInt64.random(in: .min ... .max) & ~0xF000 | 0x4000
        let low = UInt64.random(in: .min ... .max) & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return MessageID(high: high, low: low).description
    }
}
