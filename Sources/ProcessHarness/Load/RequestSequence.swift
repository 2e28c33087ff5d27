package import NIOCore

/// What one connection sends.
package struct RequestSequence: Sendable {
    /// The path of every request.
    package var path: String
    /// The value of `authorization`.
    package var authorization: String
    /// The content type of every body.
    package var contentType: String
    /// Makes the n-th body; nil ends the sequence.
    package var body: @Sendable (Int) -> [UInt8]?
    /// When the n-th request is to leave; nil sends each when the one before is answered.
    ///
    /// One that must wait for the one before counts as sent at its moment, so that a slow answer is seen in full.
    package var due: (@Sendable (Int) -> NIODeadline)?

    /// A sequence of POST requests.
    ///
    /// - Parameters:
    ///   - path: The path of every request.
    ///   - authorization: The value of `authorization`.
    ///   - contentType: The content type of every body.
    ///   - due: When the n-th request is to leave; nil sends each when the one before is answered.
    ///   - body: Makes the n-th body; nil ends the sequence.
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

/// What became of one connection's requests.
package struct RequestResults: Sendable {
    /// The seconds that each request took.
    package var latencies: [Double] = []
    /// How many were not answered with 202.
    package var refused = 0
}
