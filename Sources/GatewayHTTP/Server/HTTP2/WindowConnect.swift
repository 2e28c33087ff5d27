internal import HTTP2Connections
internal import NIOHTTP1
internal import TextFormats

/// A request for a window on a stream of HTTP/2: an extended CONNECT for WebSocket (RFC 8441 section 5).
struct WindowConnect {
    let request: WindowRequest
    /// The head of the same request as an upgrade of HTTP/1.1, without the fields of that connection.
    let head: HTTPRequestHead

    /// Parses a valid head; nil when its path is not that of a window.
    init?(_ head: HTTP2RequestHead) {
        guard let path = head.path else { return nil }
        let fields = HTTPHeaders(head.fields.map { ($0.name, $0.value) })
        self.head = HTTPRequestHead(version: .http2, method: .GET, uri: path, headers: fields)
        guard let request = WindowRequest(self.head) else { return nil }
        self.request = request
    }

    /// Whether it asks for the version that is spoken, and announces no body.
    var isValid: Bool {
        let versions = head.headers["sec-websocket-version"]
        let isSpoken = versions.count == 1 && versions[0].hasSameBytes(as: "13")
        return isSpoken && !head.headers.contains(name: "content-length")
    }

    /// Returns the error of a CONNECT for a tunnel, or for a protocol other than WebSocket; nil for every other request.
    static func rejection(of head: HTTP2RequestHead) -> Problem? {
        // Only a CONNECT without protocol has no path (RFC 9113 section 8.5).
        guard head.path == nil || head.connectProtocol != nil, head.connectProtocol?.isWord("websocket") != true else {
            return nil
        }
        return Problem(.invalidRequest, status: 501, "CONNECT is only for WebSocket (RFC 8441).")
    }
}
