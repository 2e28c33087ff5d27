internal import NIOHTTP1

/// What somebody answered; any status is an answer, redirects included.
package struct GuardedAnswer: Sendable {
    /// The status.
    package let status: Int
    /// The body; empty where it is only drained.
    package let body: [UInt8]
    private let headers: HTTPHeaders

    init(status: Int, body: [UInt8], headers: HTTPHeaders) {
        self.status = status
        self.body = body
        self.headers = headers
    }

    /// The first value of a header field.
    ///
    /// - Parameter name: The field, in any case.
    /// - Returns: Nil when there is none.
    package func header(_ name: String) -> String? { headers.first(name: name) }
}

/// Why there was no answer; a stable word.
package enum GuardedFailure: String, Error, Sendable, CaseIterable {
    /// Nobody took the connection, or it broke, or it speaks no HTTP.
    case unreachable
    /// Not within the request's time.
    case timeout
    /// The name has no address.
    case unresolved
    /// An address of the host is one that must not be reached.
    case forbiddenAddress = "forbidden_address"
    /// TLS failed: mostly a certificate that nobody trusts.
    case tls
    /// The body is longer than the request takes.
    case tooLarge = "too_large"
}
