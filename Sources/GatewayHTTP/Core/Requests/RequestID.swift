internal import Synchronization
internal import TextFormats

/// The id of a request in responses and log lines: the caller's `X-Request-Id` if it is valid, else a new one.
struct RequestID: Sendable {
    /// At most 128 characters of visible ASCII.
    let text: String

    /// Uses the caller's id when it is 1 to 128 characters of visible ASCII; anything else is replaced, so that callers
    /// cannot write arbitrary text into the log.
    init(header: String?) {
        if let header, !header.isEmpty, header.utf8.count <= 128, header.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
            text = header
        } else {
            text = Self.next()
        }
    }

    /// Random for each process, because random bytes from the system cost two system calls for each request.
    private static let process = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
    private static let count = Atomic<UInt64>(0)

    /// Creates a unique id: the process's random part, and a number that is spread over all its bits.
    private static func next() -> String {
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue
        var mixed = process.1 &+ number &* 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return hexadecimal(process.0, mixed ^ (mixed >> 31))
    }

    private static func hexadecimal(_ high: UInt64, _ low: UInt64) -> String {
        String(unsafeUninitializedCapacity: 32) { buffer in
            for digit in 0..<32 {
                let half = digit < 16 ? high : low
                let value = UInt8(truncatingIfNeeded: half >> UInt64(60 - (digit % 16) * 4)) & 0xF
                buffer[digit] = Hexadecimal.digit(value)
            }
            return 32
        }
    }
}
