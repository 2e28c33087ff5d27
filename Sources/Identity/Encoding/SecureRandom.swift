#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Random bytes from the system's generator (`getentropy`), which is fit for keys.
enum SecureRandom {
    /// Returns at most 256 random bytes, which the system returns in full and in one call (getentropy(3)).
    static func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = count
            if let start = buffer.baseAddress, getentropy(start, count) == 0 { return }
            // This does not happen on a running system; the fallback is the same generator by a slower call.
            var generator = SystemRandomNumberGenerator()
            for index in 0..<count { buffer[index] = generator.next() }
        }
    }
}
