/// A generator of message ids that increase within one process, even when the wall clock does not.
///
/// It is not thread-safe: the writer owns it.
package struct MessageIDGenerator: Sendable {
    private var lastMilliseconds: Int64 = 0
    private var counter: UInt64 = 0
    private var random = RandomWords()
    private let randomPart: UInt64?

    /// Creates a generator.
    ///
    /// - Parameters:
    ///   - last: An id that every new one is above, even if the clock was set back since; nil for none.
    ///   - randomPart: The random part of every id; nil draws one for each. Set only by simulations, which must be
    ///     reproducible.
    package init(after last: MessageID? = nil, randomPart: UInt64? = nil) {
        self.randomPart = randomPart
        guard let last else { return }
        lastMilliseconds = Int64(last.high >> 16)
        counter = last.high & 0xFFF
    }

    /// Returns the next id, above every id before it.
    ///
    /// When the clock stands still or goes back, the counter of RFC 9562 section 6.2 (method 1, 12 bits) is incremented
    /// instead; beyond 4,095 ids in one millisecond the time part runs ahead.
    ///
    /// - Parameter now: The time of the message.
    /// - Returns: A UUID version 7.
    package mutating func next(at now: Timestamp) -> MessageID {
        if now.milliseconds > lastMilliseconds {
            lastMilliseconds = now.milliseconds
            counter = 0
        } else {
            counter += 1
            if counter > 0xFFF {
                lastMilliseconds += 1
                counter = 0
            }
        }
        let high = UInt64(bitPattern: lastMilliseconds) << 16 | 0x7000 | counter
        let low = (randomPart ?? random.next()) & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return MessageID(high: high, low: low)
    }
}
