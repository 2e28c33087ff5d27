internal import TextFormats

/// The trace id of a `traceparent` header (W3C Trace Context section 3.2), for the log.
enum TraceParent {
    /// The 32 hexadecimal digits; nil when the header has an unsupported version.
    static func traceID(_ header: String) -> String? {
        let parts = header.byteSplit("-", maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0].utf8.count == 2, !parts[0].hasSameBytes(as: "ff"), isHexadecimal(parts[0]),
            !parts[0].hasSameBytes(as: "00") || parts.count == 4,
            parts[1].utf8.count == 32, isHexadecimal(parts[1]), parts[1].utf8.contains(where: { $0 != 0x30 }),
            parts[2].utf8.count == 16, isHexadecimal(parts[2]), parts[3].utf8.count == 2, isHexadecimal(parts[3])
        else { return nil }
        return String(parts[1])
    }

    private static func isHexadecimal(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
