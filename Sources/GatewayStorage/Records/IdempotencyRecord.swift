package import GatewayModel

/// What is kept of a request with an idempotency key, so that its repetition does nothing.
package struct IdempotencyRecord: Sendable, Equatable {
    /// The answer of a request that ended well.
    package struct Answer: Sendable, Equatable {
        /// The HTTP status.
        package var status: Int
        /// Where the thing that was made is, a path.
        package var location: String?
        /// The body, JSON; nil when it held a secret, which is not kept.
        package var body: [UInt8]?

        /// Takes an answer.
        ///
        /// - Parameters:
        ///   - status: The HTTP status.
        ///   - location: Where the thing that was made is.
        ///   - body: The body, when it holds no secret.
        package init(status: Int, location: String?, body: [UInt8]?) {
            self.status = status
            self.location = location
            self.body = body
        }
    }

    /// SHA-256 of who asked for what under which key, 32 bytes.
    package var key: [UInt8]
    /// SHA-256 of the request's body, 32 bytes.
    package var bodyHash: [UInt8]
    /// The answer; nil as long as the request runs, and for ever when the process died over it.
    package var answer: Answer?
    /// When the request came.
    package var createdAt: Timestamp

    /// How long a key is remembered, in milliseconds: 24 hours (APIConventions page).
    package static let lifetimeMilliseconds: Int64 = 86_400_000

    /// The moment up to which requests are forgotten when this one comes.
    package var oldest: Timestamp { createdAt.adding(milliseconds: -Self.lifetimeMilliseconds) }

    /// Takes what is kept of a request.
    ///
    /// - Parameters:
    ///   - key: SHA-256 of who asked for what under which key.
    ///   - bodyHash: SHA-256 of the request's body.
    ///   - answer: The answer.
    ///   - createdAt: When the request came.
    package init(key: [UInt8], bodyHash: [UInt8], answer: Answer? = nil, createdAt: Timestamp) {
        self.key = key
        self.bodyHash = bodyHash
        self.answer = answer
        self.createdAt = createdAt
    }
}
