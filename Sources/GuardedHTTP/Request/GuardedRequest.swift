/// A request to a URL that a tenant set.
package struct GuardedRequest: Sendable {
    /// The method and the body.
    package enum Method: Sendable, Equatable {
        /// GET without a body.
        case get
        /// POST with a body.
        case post([UInt8])
    }

    /// The treatment of the response's body.
    package enum ResponseBodyHandling: Sendable, Equatable {
        /// The body is returned in full; a longer one, or one that does not end in time, is an error.
        case read(maxBytes: Int)
        /// The body is read and discarded, so that the connection can be reused. Only the head counts; a body that
        /// cannot be read in full only costs the connection.
        case drained(maxBytes: Int)
    }

    /// The URL.
    package var url: GuardedURL
    /// The method and the body.
    package var method: Method
    /// The header fields, in addition to those that HTTP requires.
    package var headers: [(name: String, value: String)]
    /// The treatment of the response's body.
    package var responseBody: ResponseBodyHandling
    /// The timeout for lookup, connection, request and response together.
    package var timeout: Duration
    /// The brand that set the URL and has a share of the lookups; empty for the gateway itself.
    package var owner: String
    /// The number of earlier failed attempts; it selects the first of several addresses.
    package var attempt: Int

    /// Creates a request.
    package init(
        url: GuardedURL,
        method: Method,
        headers: [(name: String, value: String)],
        responseBody: ResponseBodyHandling,
        timeout: Duration,
        owner: String = "",
        attempt: Int = 0
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.responseBody = responseBody
        self.timeout = timeout
        self.owner = owner
        self.attempt = attempt
    }
}
