/// The trace of a run: a digest of everything that happened, and text lines when they are wanted.
struct Trace: Sendable {
    let isWritten: Bool
    private(set) var lines: [String] = []
    /// An FNV-1a digest of everything that was noted: the same in every process.
    private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325

    init(isWritten: Bool) { self.isWritten = isWritten }

    mutating func fold(_ value: Int64) {
        digest = (digest ^ UInt64(bitPattern: value)) &* 0x0000_0100_0000_01B3
        digest ^= digest >> 29
    }

    mutating func fold(_ text: String) { for byte in text.utf8 { fold(Int64(byte)) } }

    /// Adds a line; only the numbers that distinguish two runs go into the digest, because building texts takes time.
    mutating func note(_ code: Int64, _ number: Int64 = 0, _ line: () -> String) {
        fold(code)
        fold(number)
        if isWritten { lines.append(line()) }
    }
}
