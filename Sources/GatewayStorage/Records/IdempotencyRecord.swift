package import GatewayModel

/// The stored record of a request with an idempotency key, so that a repetition has no effect.
package struct IdempotencyRecord: Sendable, Equatable {
    /// The response of a request that succeeded.
    package struct Response: Sendable, Equatable {
        /// The HTTP status.
        package var status: Int
        /// The `Location` of the created resource, a path.
        package var location: String?
        /// The body, JSON; nil when it held a secret, which is not stored.
        package var body: [UInt8]?

        /// Creates a response.
        package init(status: Int, location: String?, body: [UInt8]?) {
            self.status = status
            self.location = location
            self.body = body
        }
    }

    /// SHA-256 of the caller, the operation and the idempotency key, 32 bytes.
    package var key: [UInt8]
    /// SHA-256 of the request's body, 32 bytes.
    package var bodyHash: [UInt8]
    /// The response; nil while the request runs, and permanently when the process died during it.
    package var response: Response?
    /// When the request arrived.
    package var createdAt: Timestamp

    /// How long a key is remembered, in milliseconds: 24 hours (APIConventions page).
    package static let lifetimeMilliseconds: Int64 = 86_400_000

    /// The moment up to which records are deleted when this request arrives.
    package var oldest: Timestamp { createdAt.adding(milliseconds: -Self.lifetimeMilliseconds) }

    /// Creates a record.
    package init(key: [UInt8], bodyHash: [UInt8], response: Response? = nil, createdAt: Timestamp) {
        self.key = key
        self.bodyHash = bodyHash
        self.response = response
        self.createdAt = createdAt
    }
}
