import TextFormats
import Tracing

/// The ids of a span and of its trace, and whether the trace is recorded (W3C Trace Context section 3.2).
package struct SpanIdentity: Sendable, Equatable {
    /// The key under which a context has the identity of its span.
    enum Key: InstrumentationContextKey {
        typealias Value = SpanIdentity
    }

    private let trace: (high: UInt64, low: UInt64)
    private let span: UInt64
    /// Whether spans of the trace are recorded.
    package let isSampled: Bool

    /// Creates a span of a new trace, with ids at random.
    init(isSampled: Bool) {
        trace = (UInt64.random(in: 1 ... .max), UInt64.random(in: .min ... .max))
        span = UInt64.random(in: 1 ... .max)
        self.isSampled = isSampled
    }

    /// Creates a span of the same trace as its parent, with an id at random.
    init(parent: SpanIdentity) {
        trace = parent.trace
        span = UInt64.random(in: 1 ... .max)
        isSampled = parent.isSampled
    }

    /// Reads a `traceparent` header; nil when it is malformed or has version `ff`.
    package init?(traceParent header: String) {
        let parts = header.byteSplit("-", maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0].utf8.count == 2, !parts[0].hasSameBytes(as: "ff"), Self.isHex(parts[0]),
            !parts[0].hasSameBytes(as: "00") || parts.count == 4,
            parts[1].utf8.count == 32, Self.isHex(parts[1]), parts[2].utf8.count == 16, Self.isHex(parts[2]),
            parts[3].utf8.count == 2, Self.isHex(parts[3]),
            let high = UInt64(parts[1].prefix(16), radix: 16), let low = UInt64(parts[1].suffix(16), radix: 16),
            let span = UInt64(parts[2], radix: 16), let flags = UInt8(parts[3], radix: 16),
            high | low != 0, span != 0
        else { return nil }
        trace = (high, low)
        self.span = span
        isSampled = flags & 1 == 1
    }

    /// The trace id: 32 hexadecimal digits.
    package var traceText: String { Self.hex(trace.high) + Self.hex(trace.low) }

    /// The span id: 16 hexadecimal digits.
    package var spanText: String { Self.hex(span) }

    /// The value of a `traceparent` header whose parent is this span.
    package var traceParent: String { "00-\(traceText)-\(spanText)-\(isSampled ? "01" : "00")" }

    /// Whether two are the same span.
    package static func == (lhs: SpanIdentity, rhs: SpanIdentity) -> Bool {
        lhs.trace == rhs.trace && lhs.span == rhs.span && lhs.isSampled == rhs.isSampled
    }

    private static func hex(_ word: UInt64) -> String {
        Hexadecimal.text((0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) })
    }

    private static func isHex(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
