package import HTTPTransfers

/// The reason why the outbound proxy did not connect an HTTP client to a host: nothing was sent.
package enum OutboundProxyFailure: Sendable, Equatable {
    /// The proxy cannot be reached.
    case unreachable
    /// The proxy requires other credentials (407).
    case credentials
    /// The proxy responded with another status than 2xx and 407.
    case refused
    /// The proxy did not respond in time, or not as an HTTP proxy.
    case timeout

    /// Determines the proxy's failure in an error of a request that used a proxy; nil when it may be the host's own.
    package init?(_ failure: TransferFailure) {
        switch failure.reason {
        case .proxyUnreachable: self = .unreachable
        case .proxyCredentials: self = .credentials
        case .proxyRefused: self = .refused
        case .proxyTimeout: self = .timeout
        default: return nil
        }
    }

    /// A text for operators.
    package var text: String {
        switch self {
        case .unreachable: "it cannot be reached"
        case .credentials: "it does not accept its credentials (407)"
        case .refused: "it refused to connect"
        case .timeout: "it did not respond in time"
        }
    }
}
