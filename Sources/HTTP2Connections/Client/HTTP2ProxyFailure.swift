/// The error of an HTTP proxy that opened no tunnel: nothing was sent to the peer behind it.
///
/// Texts hold no secrets. Any thread.
package struct HTTP2ProxyFailure: Error, Equatable, Sendable {
    /// The cause of the failure.
    package enum Cause: Equatable, Sendable {
        /// Name resolution or TCP connect failed; the text is the system's.
        case unreachable(String)
        /// The proxy requires other credentials (407).
        case credentials
        /// The proxy responded with another status than 2xx and 407.
        case refused(status: Int)
        /// The proxy closed the connection without a complete response.
        case closed
        /// The proxy was not connected, or did not respond, in time.
        case timedOut
        /// The response is not that of an HTTP proxy, or too long.
        case malformed
    }

    /// The proxy as `host:port`.
    package var proxy: String
    /// The cause.
    package var cause: Cause

    /// Creates an error.
    package init(proxy: String, cause: Cause) {
        self.proxy = proxy
        self.cause = cause
    }

    /// Whether a later attempt is no burden for the proxy: it did not respond, or did not reach the peer.
    var isSilent: Bool {
        switch cause {
        case .unreachable, .closed, .timedOut: true
        case .refused(let status): (502...504).contains(status)
        case .credentials, .malformed: false
        }
    }
}

extension HTTP2ProxyFailure: CustomStringConvertible {
    /// A text for log lines and operators, without secrets.
    package var description: String {
        let subject = "the proxy \(proxy) (provider.proxy)"
        return switch cause {
        case .unreachable(let text): "\(subject) cannot be reached: \(text)"
        case .credentials: "\(subject) does not accept its credentials (407)"
        case .refused(let status): "\(subject) refused to connect (\(status))"
        case .closed: "\(subject) closed the connection without a response"
        case .timedOut: "\(subject) did not respond in time"
        case .malformed: "\(subject) did not respond as an HTTP proxy"
        }
    }
}
