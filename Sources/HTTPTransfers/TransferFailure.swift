/// The error of a request without a complete response; it has no part of the request or of the response.
package struct TransferFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The reasons; the raw value is a text for operators.
    package enum Reason: String, Sendable, CaseIterable {
        /// The URL, the method, a header field or the address is invalid.
        case invalidRequest = "invalid request"
        /// The name has no addresses.
        case unresolved = "the name has no addresses"
        /// The host accepts no connection.
        case unreachable = "connection refused or no route"
        /// The connection was not ready within its timeout.
        case connectTimeout = "connect timeout"
        /// No bytes arrived for the idle timeout.
        case idleTimeout = "idle timeout"
        /// The timeout for everything together passed.
        case timeout = "timeout"
        /// TLS failed: usually an untrusted certificate, or one for another name.
        case tls = "TLS failed"
        /// The proxy accepts no connection, or its name has no addresses.
        case proxyUnreachable = "the proxy cannot be reached"
        /// The proxy requires other credentials (407).
        case proxyCredentials = "the proxy does not accept the credentials (407)"
        /// The proxy opened no tunnel.
        case proxyRefused = "the proxy refused to connect"
        /// The tunnel was not ready within the connect timeout.
        case proxyTimeout = "the proxy did not respond in time"
        /// The connection broke, or the peer speaks no HTTP.
        case broken = "connection closed, or no HTTP response"
        /// The header fields are longer than ``TransferClient/maxHeaderBytes``.
        case headersTooLarge = "response header too large"
        /// The body is longer than its limit.
        case tooLarge = "response body too large"
        /// The task was cancelled, or the client closed with its calls.
        case cancelled = "cancelled"
        /// The client was closed before the call, has too many calls, or cannot get what it needs from the system.
        case unavailable = "client closed or overloaded"

        /// A text for operators about the proxy that did not connect to the host, so that nothing was sent; nil for a
        /// reason that may be the host's own.
        package var ofProxy: String? {
            switch self {
            case .proxyUnreachable: "it cannot be reached"
            case .proxyCredentials: "it does not accept its credentials (407)"
            case .proxyRefused: "it refused to connect"
            case .proxyTimeout: "it did not respond in time"
            default: nil
            }
        }
    }

    /// The reason.
    package let reason: Reason
    /// Whether the connection to the host was ready, so that the request may have arrived.
    package let mayHaveSent: Bool

    /// A text for operators.
    package var description: String { reason.rawValue }

    init(_ reason: Reason, mayHaveSent: Bool = false) {
        self.reason = reason
        self.mayHaveSent = mayHaveSent
    }
}
