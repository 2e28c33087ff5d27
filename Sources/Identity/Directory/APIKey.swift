internal import GatewayModel

/// A Bloomreach API key in memory; public in effect, because every app carries it.
struct APIKey: Sendable {
    /// Its holder as a caller: of its brand, without any scope.
    var caller: ServiceAccountIdentity
    var expiresAt: Timestamp?

    /// Returns whether it has not expired.
    func isActive(at now: Timestamp) -> Bool { expiresAt.map { now < $0 } ?? true }
}

/// A key of Bloomreach's customer tokens in memory.
struct CustomerTokenKey: Sendable {
    /// Its holder as a caller: of its brand, without any scope.
    var caller: ServiceAccountIdentity
    /// The HMAC key: the secret's UTF-8 bytes.
    var secret: [UInt8]
    var expiresAt: Timestamp?
    var createdAt: Timestamp

    /// Returns whether it has not expired.
    func isActive(at now: Timestamp) -> Bool { expiresAt.map { now < $0 } ?? true }
}
