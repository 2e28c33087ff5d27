/// Random ids and verifiers, from the system's generator.
enum RandomText {
    /// Returns random bytes.
    static func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// Returns an id of 128 random bits.
    static func identifier() -> String { Base64URL.encode(bytes(16)) }
}
