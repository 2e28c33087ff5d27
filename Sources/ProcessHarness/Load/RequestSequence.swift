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

    /// A sequence of POST requests.
    ///
    /// - Parameters:
    ///   - path: The path of every request.
    ///   - authorization: The value of `authorization`.
    ///   - contentType: The content type of every body.
    ///   - body: Makes the n-th body; nil ends the sequence.
    package init(
        path: String,
        authorization: String,
        contentType: String,
        body: @escaping @Sendable (Int) -> [UInt8]?
    ) {
        self.path = path
        self.authorization = authorization
        self.contentType = contentType
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
