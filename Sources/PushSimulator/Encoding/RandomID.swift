internal import TextFormats

/// Identifiers from the system's generator.
package enum RandomID {
    /// Generates a random UUID (RFC 9562 version 4).
    ///
    /// - Returns: The canonical form in lower case.
    @Sendable package static func uuid() -> String {
        // Two draws in total: each is a system call.
        var generator = SystemRandomNumberGenerator()
        var high = generator.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        var low = generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return String(unsafeUninitializedCapacity: 36) { buffer in
            for index in 0..<36 {
                switch index {
                case 8, 13, 18, 23: buffer[index] = UInt8(ascii: "-")
                default:
                    if index < 18 {
                        buffer[index] = Hexadecimal.digit(UInt8(truncatingIfNeeded: high >> 60))
                        high <<= 4
                    } else {
                        buffer[index] = Hexadecimal.digit(UInt8(truncatingIfNeeded: low >> 60))
                        low <<= 4
                    }
                }
            }
            return 36
        }
    }

    /// Generates random hexadecimal digits.
    ///
    /// - Parameter count: The number of random bytes.
    /// - Returns: Twice as many hexadecimal digits in lower case.
    @Sendable package static func hexadecimal(_ count: Int) -> String {
        Hexadecimal.text(Self.bytes(count))
    }

    /// Generates random bytes.
    ///
    /// - Parameter count: The number of bytes.
    /// - Returns: The bytes.
    static func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
