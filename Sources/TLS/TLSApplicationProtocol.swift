/// A protocol over TLS, as ALPN names it (RFC 7301 section 6).
package enum TLSApplicationProtocol: Sendable {
    /// HTTP/1.1, and WebSocket by its upgrade; also for clients without ALPN.
    case http1
    /// HTTP/2, only for clients that offer it.
    case http2

    /// The name in ALPN.
    var name: String {
        switch self {
        case .http1: "http/1.1"
        case .http2: "h2"
        }
    }
}
