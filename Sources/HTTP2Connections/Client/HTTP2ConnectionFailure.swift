package import TLS
/// The error of a connection that could not be opened or ended early.
///
/// Texts hold no secrets. Any thread.
package enum HTTP2ConnectionFailure: Error, Equatable, Sendable {
    /// Name resolution or TCP connect failed; the text is the system's.
    case unreachable(String)
    /// The proxy opened no tunnel to the peer.
    case proxy(HTTP2ProxyFailure)
    /// TLS failed, or the peer does not speak HTTP/2.
    case tls(TLSFailure)
    /// The process has no connection left in its ``HTTP2ConnectionBudget``.
    case limit
    /// Dial, TLS and the peer's first SETTINGS took longer than allowed.
    case setupTimedOut
    /// The peer did not respond to a PING in time.
    case pingUnanswered
    /// The peer violated HTTP/2, or nghttp2 failed; the text is nghttp2's.
    case broken(String)
    /// The peer closed the connection while streams were open or before it was ready.
    case closedByPeer
    /// The socket failed; the text is the system's.
    case socket(String)
    /// The peer sent GOAWAY with an error code; the reason is its debug data, sanitized and truncated.
    case goAway(HTTP2ErrorCode, reason: String?)

    /// A metric label from a closed set.
    package var label: String {
        switch self {
        case .unreachable: "unreachable"
        case .proxy: "proxy"
        case .limit: "limit"
        case .tls(.certificate): "certificate"
        case .tls(.noHTTP2): "no_http2"
        case .tls: "tls"
        case .setupTimedOut: "setup_timeout"
        case .pingUnanswered: "ping_timeout"
        case .broken: "protocol"
        case .closedByPeer: "closed"
        case .socket: "socket"
        case .goAway: "goaway"
        }
    }
}

extension HTTP2ConnectionFailure: CustomStringConvertible {
    /// A text for log lines and operators, without secrets.
    package var description: String {
        switch self {
        case .unreachable(let text): "cannot connect: \(text)"
        case .proxy(let failure): failure.description
        case .limit: "the process has reached its limit of connections (provider.maxConnections)"
        case .tls(let failure): failure.description
        case .setupTimedOut: "dial, TLS or first SETTINGS took too long"
        case .pingUnanswered: "peer did not answer PING"
        case .broken(let text): "HTTP/2 failed: \(text)"
        case .closedByPeer: "peer closed the connection"
        case .socket(let text): "socket failed: \(text)"
        case .goAway(let code, .some(let reason)): "peer sent GOAWAY \(code) (\(reason))"
        case .goAway(let code, .none): "peer sent GOAWAY \(code)"
        }
    }
}
