internal import NIOHTTP1

/// The response to a guarded request, with any status, redirects included.
package struct GuardedResponse: Sendable {
    /// The HTTP status.
    package let status: Int
    /// The body; empty if it was only drained.
    package let body: [UInt8]
    private let headers: HTTPHeaders

    init(status: Int, body: [UInt8], headers: HTTPHeaders) {
        self.status = status
        self.body = body
        self.headers = headers
    }

    /// Returns the first value of a header field in any case; nil when there is none.
    package func header(_ name: String) -> String? { headers.first(name: name) }
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
