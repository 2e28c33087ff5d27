/// What happened in a run: a digest of all of it, and its words when they are wanted.
struct Trace: Sendable {
    let isWritten: Bool
    private(set) var lines: [String] = []
    /// FNV-1a over everything that was noted: the same in every process.
    private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325

    init(isWritten: Bool) { self.isWritten = isWritten }

    mutating func fold(_ value: Int64) {
        digest = (digest ^ UInt64(bitPattern: value)) &* 0x0000_0100_0000_01B3
        digest ^= digest >> 29
    }

    mutating func fold(_ text: String) { for byte in text.utf8 { fold(Int64(byte)) } }

    /// Adds a line; only what tells two runs apart goes into the digest, because words cost time.
    mutating func note(_ code: Int64, _ number: Int64 = 0, _ line: () -> String) {
        fold(code)
        fold(number)
        if isWritten { lines.append(line()) }
    }
}
