import Testing

@testable import HTTP2Connections

@Suite("The head of a proxy's response")
struct ProxyResponseHeadTests {
    private static let cases: [(String, ProxyResponseHead.Verdict)] = [
        ("HTTP/1.1 200 Connection established\r\n\r\n", .opened), ("HTTP/1.0 200\r\n\r\n", .opened),
        ("HTTP/1.1 299 Odd\nVia: x\n\n", .opened), ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", .opened),
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", .opened),
        ("HTTP/1.1 407 Auth\r\n\r\nbody", .failed(.credentials)),
        ("HTTP/1.1 403 No\r\n\r\n", .failed(.refused(status: 403))),
        ("HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n", .failed(.refused(status: 302))),
        ("HTTP/1.1 200 OK\r\n\r\nx", .failed(.malformed)), ("HTTP/2 200\r\n\r\n", .failed(.malformed)),
        ("HTTP/1.1 099 No\r\n\r\n", .failed(.malformed)), ("HTTP/1.1 2000\r\n\r\n", .failed(.malformed)),
        ("HTTP/1.1 20\r\n\r\n", .failed(.malformed)), ("HTTP/1.1\r\n\r\n", .failed(.malformed)),
        ("\r\n\r\n", .failed(.malformed)), ("SSH", .failed(.malformed)), ("\u{16}\u{3}\u{1}", .failed(.malformed)),
        ("", .needsMore), ("HTT", .needsMore), ("HTTP/1.1 200 OK\r\n", .needsMore),
        ("HTTP/1.1 200 OK\r\n\r", .needsMore),
    ]

    @Test("is read whole, and byte by byte, with the same verdict", arguments: cases)
    func verdicts(text: String, verdict: ProxyResponseHead.Verdict) {
        var whole = ProxyResponseHead()
        #expect(whole.read(Array(text.utf8)) == verdict)
        var pieces = ProxyResponseHead()
        var last = ProxyResponseHead.Verdict.needsMore
        for byte in text.utf8 {
            let next = pieces.read([byte])
            // Bytes behind the head that arrive later belong to the tunnel.
            guard last != .opened else { return }
            last = next
            if case .failed = last { break }
        }
        if case .failed(.malformed) = verdict, last == .opened { return }
        #expect(last == verdict)
    }

    @Test("has a limit, interim responses included")
    func limit() {
        var endless = ProxyResponseHead()
        #expect(endless.read(Array("HTTP/1.1 200 OK\r\nX: ".utf8)) == .needsMore)
        #expect(endless.read([UInt8](repeating: 0x78, count: ProxyResponseHead.limit)) == .failed(.malformed))
        var interim = ProxyResponseHead()
        var verdict = ProxyResponseHead.Verdict.needsMore
        for _ in 0..<2000 where verdict == .needsMore {
            verdict = interim.read(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        }
        #expect(verdict == .failed(.malformed))
    }
}
