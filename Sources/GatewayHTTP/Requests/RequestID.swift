/// What names a request in answers and logs: the caller's `X-Request-Id` if it is usable, else a new one.
struct RequestID: Sendable {
    /// At most 128 characters of visible ASCII.
    let text: String

    /// Takes the caller's id when it is 1 to 128 characters of visible ASCII; anything else is replaced, so that no caller
    /// writes what it likes into our logs.
    init(header: String?) {
        if let header, !header.isEmpty, header.utf8.count <= 128, header.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
            text = header
        } else {
            text = Self.hexadecimal(.random(in: .min ... .max), .random(in: .min ... .max))
        }
    }

    private static func hexadecimal(_ high: UInt64, _ low: UInt64) -> String {
        String(unsafeUninitializedCapacity: 32) { buffer in
            for digit in 0..<32 {
                let half = digit < 16 ? high : low
                let value = UInt8(truncatingIfNeeded: half >> UInt64(60 - (digit % 16) * 4)) & 0xF
                buffer[digit] = value < 10 ? value + UInt8(ascii: "0") : value - 10 + UInt8(ascii: "a")
            }
            return 32
        }
    }
}
