/// Identifiers from the system's generator.
package enum RandomID {
    /// A random UUID (RFC 9562 version 4).
    ///
    /// - Returns: Its canonical form in lower case.
    @Sendable package static func uuid() -> String {
        var bytes = Self.bytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let text = Self.hex(bytes)
        let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { range in
            String(decoding: text[range], as: UTF8.self)
        }
        return parts.joined(separator: "-")
    }

    /// Random digits.
    ///
    /// - Parameter count: How many bytes of randomness.
    /// - Returns: Twice as many hexadecimal digits in lower case.
    @Sendable package static func hexadecimal(_ count: Int) -> String {
        String(decoding: Self.hex(Self.bytes(count)), as: UTF8.self)
    }

    /// Random bytes.
    ///
    /// - Parameter count: How many.
    /// - Returns: The bytes.
    static func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    private static func hex(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }
}
