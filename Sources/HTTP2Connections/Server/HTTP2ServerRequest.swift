/// A complete request that a server received.
///
/// Any thread.
package struct HTTP2ServerRequest: Sendable {
    /// The stream for the response.
    package let stream: HTTP2ServerStream

    /// The method.
    package let method: String

    /// The path with query, as sent.
    package let path: String

    /// The headers in order, names in lower case; of the pseudo headers only `:authority` is among them.
    package let headers: [(name: String, value: String)]

    /// The body, at most `HTTP2ServerConfiguration.maximumBodyBytes`.
    package let body: [UInt8]

    /// Whether the body was longer than the kept bytes.
    package let isBodyTruncated: Bool

    /// The value of the first header of that lower-case name.
    package subscript(name: String) -> String? {
        headers.first { $0.name == name }?.value
    }
}

/// One stream of a server's connection, on which the response is sent.
///
/// Any thread.
package struct HTTP2ServerStream: Sendable {
    /// The connection.
    package let connection: HTTP2ServerConnection

    /// The stream id.
    package let id: Int32

    /// Sends the response.
    ///
    /// A response to a stream that has ended is dropped.
    package func respond(_ response: HTTP2ServerResponse) {
        connection.perform(.respond(stream: id, response))
    }

    /// Resets the stream instead of sending a response.
    package func reset(_ code: HTTP2ErrorCode) {
        connection.perform(.reset(stream: id, code))
    }
}

/// A response of a server.
///
/// Any thread.
package struct HTTP2ServerResponse: Sendable {
    /// The status, 200 to 599.
    package var status: Int

    /// Headers, names in lower case.
    package var headers: [(name: String, value: String)]

    /// The body; empty means that the response ends with its headers.
    package var body: [UInt8]

    /// Creates a response.
    package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
