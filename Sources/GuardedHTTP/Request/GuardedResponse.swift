internal import HTTPTransfers

/// The response to a guarded request, with any status, redirects included.
package struct GuardedResponse: Sendable {
    private let response: TransferResponse

    /// The HTTP status.
    package var status: Int { response.status }
    /// The body; empty if it was only drained.
    package var body: [UInt8] { response.body }

    init(_ response: TransferResponse) { self.response = response }

    /// Creates a response without header fields, for tests of those that read it.
    init(status: Int, body: [UInt8]) { response = TransferResponse(status: status, body: body) }

    /// Returns the first value of a header field in any case; nil when there is none.
    package func header(_ name: String) -> String? { response.header(name) }
}

/// The reason why there was no response; a stable code.
package enum GuardedFailure: String, Error, Sendable, CaseIterable {
    /// The connection was refused or broke, or the peer speaks no HTTP.
    case unreachable
    /// The request's timeout passed.
    case timeout
    /// The name has no addresses.
    case unresolved
    /// The outbound proxy cannot be reached, or did not connect to the host; nothing was sent.
    case proxy
    /// The outbound proxy requires other credentials; nothing was sent.
    case proxyCredentials = "proxy_credentials"
    /// An address of the host is forbidden.
    case forbiddenAddress = "forbidden_address"
    /// TLS failed: usually an untrusted certificate.
    case tls
    /// The body is longer than the request's limit.
    case tooLarge = "too_large"
}

extension GuardedFailure {
    init(_ failure: TransferFailure) {
        self =
            switch failure.reason {
            case .timeout, .connectTimeout, .idleTimeout, .cancelled: .timeout
            case .proxyUnreachable, .proxyRefused, .proxyTimeout: .proxy
            case .proxyCredentials: .proxyCredentials
            case .tls: .tls
            case .tooLarge: .tooLarge
            case .unresolved: .unresolved
            case .invalidRequest, .unreachable, .broken, .headersTooLarge, .unavailable: .unreachable
            }
    }
}
