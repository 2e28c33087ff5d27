#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Random numbers from the system's generator, fit for keys.
///
/// They are fetched 32 at a time: a system call for each would cost more than its use.
///
/// A copy returns the same numbers as the original until either fetches again: copies must not be used.
struct RandomWords: RandomNumberGenerator, Sendable {
    /// 256 bytes, which the system returns in full and in one call (getentropy(3)).
    private static let count = 32

    /// The numbers not used yet; each is used once.
    private var words: [UInt64] = []

    mutating func next() -> UInt64 {
        if let word = words.popLast() { return word }
        words = [UInt64](unsafeUninitializedCapacity: Self.count) { buffer, filled in
            filled = Self.count
            if let start = buffer.baseAddress, getentropy(start, Self.count * 8) == 0 { return }
            // This does not happen on a running system; the fallback is the same generator by a slower call.
            var generator = SystemRandomNumberGenerator()
            for index in 0..<Self.count { buffer[index] = generator.next() }
        }
        return words.removeLast()
    }
}
