/// Reads the head of a proxy's response to CONNECT (RFC 9110 section 9.3.6).
///
/// A value without IO: bytes come in as they arrive.
struct ProxyResponseHead {
    /// The result of the bytes so far.
    enum Verdict: Equatable, Sendable {
        case needsMore
        /// A response with status 2xx: what follows belongs to the tunnel.
        case opened
        case failed(HTTP2ProxyFailure.Cause)
    }

    /// The most bytes of all heads of a response together.
    static let limit = 16_384

    private static let start = Array("HTTP/1.".utf8)
    private var bytes: [UInt8] = []
    private var skipped = 0

    /// Adds bytes.
    mutating func read(_ new: some Collection<UInt8>) -> Verdict {
        bytes.append(contentsOf: new)
        while true {
            // Garbage is detected before its end, which may never arrive.
            guard zip(bytes, Self.start).allSatisfy({ $0 == $1 }) else { return .failed(.malformed) }
            guard let end = endOfHead else {
                return skipped + bytes.count > Self.limit ? .failed(.malformed) : .needsMore
            }
            guard skipped + end <= Self.limit, let status else { return .failed(.malformed) }
            switch status {
            case 100...199:
                // Interim responses (RFC 9110 section 15.2).
                skipped += end
                bytes.removeFirst(end)
            case 200...299:
                // A TLS server never sends first: further bytes are not its own.
                return bytes.count == end ? .opened : .failed(.malformed)
            case 407: return .failed(.credentials)
            default: return .failed(.refused(status: status))
            }
        }
    }

    /// The index after the empty line; lines may end with a line feed alone (RFC 9112 section 2.2).
    private var endOfHead: Int? {
        var lineStart = 0
        for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") {
            let line = bytes[lineStart..<index]
            if lineStart > 0, line.isEmpty || (line.count == 1 && line.first == UInt8(ascii: "\r")) {
                return index + 1
            }
            lineStart = index + 1
        }
        return nil
    }

    /// The status of a complete head: `HTTP/1.` and a digit, a space, three digits.
    private var status: Int? {
        guard bytes.count > 12, Self.isDigit(bytes[7]), bytes[8] == UInt8(ascii: " "),
            [UInt8(ascii: " "), UInt8(ascii: "\r"), UInt8(ascii: "\n")].contains(bytes[12])
        else { return nil }
        var status = 0
        for byte in bytes[9..<12] {
            guard Self.isDigit(byte) else { return nil }
            status = status * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return status >= 100 ? status : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
}
