internal import TextFormats

/// The id of a message and of its pushes: a UUID version 7 (RFC 9562 section 5.7), so that keys are ordered by time.
package struct MessageID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The first eight bytes: 48 bits of milliseconds since 1970, version, 12 bits of counter.
    package let high: UInt64
    /// The last eight bytes: variant and 62 random bits.
    package let low: UInt64

    /// Creates an id from its two halves, big endian, for example as stored.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Parses the canonical form 8-4-4-4-12, in either case; nil for any other text.
    package init?(_ text: String) {
        guard text.utf8.count == 36 else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        var digits = 0
        for (index, byte) in text.utf8.enumerated() {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = Hexadecimal.value(of: byte) else { return nil }
            let value = UInt64(digit)
            if digits < 16 { halves.0 = halves.0 << 4 | value } else { halves.1 = halves.1 << 4 | value }
            digits += 1
        }
        self.init(high: halves.0, low: halves.1)
    }

    /// The sixteen bytes, big endian.
    package var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
            for index in 0..<8 {
                buffer[index] = UInt8(truncatingIfNeeded: high >> UInt64(56 - index * 8))
                buffer[index + 8] = UInt8(truncatingIfNeeded: low >> UInt64(56 - index * 8))
            }
            count = 16
        }
    }

    /// The canonical lower-case form 8-4-4-4-12.
    package var description: String {
        String(unsafeUninitializedCapacity: Self.textBytes) { buffer in
            write(to: buffer)
            return Self.textBytes
        }
    }

    /// The length of the canonical form in bytes.
    package static let textBytes = 36

    /// Writes the canonical lower-case form to a buffer of ``textBytes`` bytes or more, without allocating a string.
    package func write(to buffer: UnsafeMutableBufferPointer<UInt8>) {
        var position = 0
        for digit in 0..<32 {
            if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
                buffer[position] = UInt8(ascii: "-")
                position += 1
            }
            let half = digit < 16 ? high : low
            let value = UInt8(truncatingIfNeeded: half >> UInt64(60 - (digit % 16) * 4)) & 0xF
            buffer[position] = Hexadecimal.digit(value)
            position += 1
        }
    }

    /// Orders by bytes, which is by time for ids made by ``MessageIDGenerator``.
    package static func < (lhs: MessageID, rhs: MessageID) -> Bool {
        (lhs.high, lhs.low) < (rhs.high, rhs.low)
    }

    /// Returns another UUID derived from this one and a number, for example one `apns-id` for each device of a message.
    ///
    /// The same message and number always give the same id, so that a resend carries the id of the first attempt. The
    /// version is 8 (RFC 9562 section 5.8: own derivation).
    ///
    /// - Parameter number: A number that distinguishes the derived ids.
    /// - Returns: The derived id; only for correlation, never a message's.
    package func derived(by number: Int64) -> MessageID {
        // splitmix64: a bijection of the number, so that two numbers never give one id.
        var mixed = UInt64(bitPattern: number) &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return MessageID(
            high: ((high ^ (mixed >> 60)) & ~0xF000) | 0x8000,
            low: ((low ^ mixed) & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000
        )
    }

    /// The first halves of the messages' ids from which this id may be derived; nil when it is not a derived one.
    package var highOfOrigins: ClosedRange<UInt64>? {
        guard high & 0xF000 == 0x8000 else { return nil }
        // A derived id keeps all but the version and the last four bits.
        let first = (high & ~0xF00F) | 0x7000
        return first...(first | 0xF)
    }
}
