/// A complete request as a server receives it.
///
/// Any thread.
package struct HTTP2ServerRequest: Sendable {
    /// Where the answer goes.
    package let stream: HTTP2ServerStream

    /// The method.
    package let method: String

    /// The path with query, as sent.
    package let path: String

    /// The headers in order, names in lower case; of the pseudo headers only `:authority` is among them.
    package let headers: [(name: String, value: String)]

    /// The body, at most `HTTP2ServerConfiguration.maximumBodyBytes`.
    package let body: [UInt8]

    /// Whether the body was longer than what was kept.
    package let isBodyTruncated: Bool

    /// The value of the first header of that lower-case name.
    package subscript(name: String) -> String? {
        headers.first { $0.name == name }?.value
    }
}

/// One stream of a server's connection: where a request is answered.
///
/// Any thread.
package struct HTTP2ServerStream: Sendable {
    /// The connection.
    package let connection: HTTP2ServerConnection

    /// The stream id.
    package let id: Int32

    /// Answers the request.
    ///
    /// An answer to a stream that has ended is dropped.
    package func respond(_ response: HTTP2ServerResponse) {
        connection.perform(.respond(stream: id, response))
    }

    /// Resets the stream instead of answering.
    package func reset(_ code: HTTP2ErrorCode) {
        connection.perform(.reset(stream: id, code))
    }
}

/// What a server answers.
///
/// Any thread.
package struct HTTP2ServerResponse: Sendable {
    /// The status, 200 to 599.
    package var status: Int

    /// Headers, names in lower case.
    package var headers: [(name: String, value: String)]

    /// The body; empty means that the response ends with its headers.
    package var body: [UInt8]

    /// Describes a response.
    package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
