package import NIOCore
package import NIOHTTP1

/// The requests of one connection.
package struct RequestSequence: Sendable {
    /// The path of every request.
    package var path: String
    /// The value of `authorization`.
    package var authorization: String
    /// The content type of every body.
    package var contentType: String
    /// Makes the n-th body; nil ends the sequence.
    package var body: @Sendable (Int) -> [UInt8]?
    /// The due time of the n-th request; nil sends each after the response to the one before.
    ///
    /// A request that must wait for the one before counts from its due time, so that a slow response is measured in
    /// full.
    package var due: (@Sendable (Int) -> NIODeadline)?
    /// Changes the head of the n-th request; nil when all are POST requests to ``path`` with the same header fields.
    package var edit: (@Sendable (Int, inout HTTPRequestHead) -> Void)?
    /// The status of a request that was accepted.
    package var status = HTTPResponseStatus.accepted

    /// Creates a sequence of POST requests.
    ///
    /// `due` is the due time of the n-th request; nil sends each after the response to the one before. `body` makes the
    /// n-th body; nil ends the sequence.
    package init(
        path: String,
        authorization: String,
        contentType: String,
        due: (@Sendable (Int) -> NIODeadline)? = nil,
        body: @escaping @Sendable (Int) -> [UInt8]?
    ) {
        self.path = path
        self.authorization = authorization
        self.contentType = contentType
        self.due = due
        self.body = body
    }
}

/// The results of one connection's requests.
package struct RequestResults: Sendable {
    /// The seconds that each request took.
    package var latencies: [Double] = []
    /// The number of responses with another status than ``RequestSequence/status``.
    package var refused = 0
}
