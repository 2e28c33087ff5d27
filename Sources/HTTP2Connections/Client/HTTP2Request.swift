package import NIOCore

/// One request, pulled from a source.
///
/// Scheme and authority come from the connection's target. Any thread.
package struct HTTP2Request: Sendable {
    /// The caller's number for the request, copied to the response.
    ///
    /// It is not interpreted here.
    package var id: UInt64

    /// The method, upper case.
    package var method: String

    /// The path with query, percent-encoded.
    package var path: String

    /// The headers in order, without pseudo headers.
    package var headers: [HTTP2Header]

    /// The body; empty means that the request ends with its headers.
    package var body: [UInt8]

    /// The timeout, counted from the pull.
    ///
    /// On expiry the stream is cancelled.
    package var timeout: TimeAmount

    /// Creates a request; the default timeout is 15 seconds (ProviderFacts page, F6).
    package init(
        id: UInt64,
        method: String = "POST",
        path: String,
        headers: [HTTP2Header] = [],
        body: [UInt8] = [],
        timeout: TimeAmount = .seconds(15)
    ) {
        self.id = id
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }
}
