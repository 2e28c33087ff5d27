/// A pattern of paths in Apple's notation: `*` stands for any bytes, `?` for one.
///
/// All ways through the pattern are followed at once, with one bit for each of its bytes (the shift-and method of
/// Baeza-Yates and Gonnet, "A new approach to text searching", 1992). So a byte of the path costs the same few
/// operations for any pattern, and there is no backtracking.
enum LinkPattern {
    /// The maximum length of a pattern: one bit for each byte.
    static let maxBytes = 256

    private typealias Bits = SIMD4<UInt64>

    /// Matches a whole path.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - pattern: The pattern; one that is too long matches nothing.
    ///   - steps: Incremented for each byte that is examined.
    /// - Returns: Whether the pattern matches the path.
    static func matches(_ path: Span<UInt8>, _ pattern: Span<UInt8>, steps: inout Int) -> Bool {
        guard pattern.count <= maxBytes else { return false }
        // Most patterns are a text followed by a star; this is enough for them.
        var start = 0
        while start < pattern.count, pattern[start] != UInt8(ascii: "*") {
            steps += 1
            guard start < path.count, pattern[start] == path[start] || pattern[start] == UInt8(ascii: "?") else {
                return false
            }
            start += 1
        }
        guard start < pattern.count else { return start == path.count }
        var taking = InlineArray<256, Bits>(repeating: .zero)
        var takingAny = Bits.zero
        var beforeStar = Bits.zero
        var count = 0
        for place in start..<pattern.count {
            steps += 1
            switch pattern[place] {
            case UInt8(ascii: "*"):
                if count > 0 { beforeStar |= bit(count - 1) }
            case UInt8(ascii: "?"):
                takingAny |= bit(count)
                count += 1
            case let byte:
                taking[Int(byte)] |= bit(count)
                count += 1
            }
        }
        guard count > 0 else { return true }
        // The bytes of the pattern at which the path so far may end. A star at the start lets a match begin anywhere.
        var reached = Bits.zero
        for place in start..<path.count {
            steps += 1
            let candidates = following(reached) | bit(0)
            reached = candidates & (taking[Int(path[place])] | takingAny) | reached & beforeStar
        }
        return reached & bit(count - 1) != .zero
    }

    private static func bit(_ place: Int) -> Bits {
        var bits = Bits.zero
        bits[place / 64] = 1 << UInt64(place % 64)
        return bits
    }

    /// Returns all bits shifted up by one place.
    private static func following(_ bits: Bits) -> Bits {
        bits &<< 1 | Bits(0, bits[0] >> 63, bits[1] >> 63, bits[2] >> 63)
    }
}
