/// Random bytes from the system's generator (`getrandom`), which is fit for keys.
enum SecureRandom {
    static func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                var word = generator.next()
                for _ in 0..<min(8, count - filled) {
                    buffer[filled] = UInt8(truncatingIfNeeded: word)
                    word >>= 8
                    filled += 1
                }
            }
        }
    }
}
