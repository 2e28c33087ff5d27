#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Random bytes from the system's generator (`getentropy`), which is fit for keys.
enum SecureRandom {
    /// At most 256, which the system gives whole and in one call (getentropy(3)).
    static func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = count
            if let start = buffer.baseAddress, getentropy(start, count) == 0 { return }
            // Never on a system that has started; its generator says the same in a slower way.
            var generator = SystemRandomNumberGenerator()
            for index in 0..<count { buffer[index] = generator.next() }
        }
    }
}
