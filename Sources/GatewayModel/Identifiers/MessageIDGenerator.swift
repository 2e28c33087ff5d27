/// Makes message ids that rise within one process, even when the wall clock does not.
///
/// Not for use by several threads at once: the writer owns it.
package struct MessageIDGenerator: Sendable {
    private var lastMilliseconds: Int64 = 0
    private var counter: UInt64 = 0
    private var random = RandomWords()
    private let randomPart: UInt64?

    /// Starts a generator.
    ///
    /// - Parameters:
    ///   - last: An id that every new one lies above, although the clock may have been set back since; nil starts with the
    ///     time that the first id is given.
    ///   - randomPart: What stands for the random part in every id; nil draws one for each. Given only by simulations,
    ///     which must be the same again.
    package init(after last: MessageID? = nil, randomPart: UInt64? = nil) {
        self.randomPart = randomPart
        guard let last else { return }
        lastMilliseconds = Int64(last.high >> 16)
        counter = last.high & 0xFFF
    }

    /// The next id, later in order than every id before it.
    ///
    /// When the clock stands still or goes back, the counter of RFC 9562 section 6.2 (method 1, 12 bits) rises instead;
    /// past 4,095 ids in one millisecond the time part runs ahead.
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
