package import GatewayModel

/// A consumer's session as it is stored: the token itself is not stored.
package struct StoredSession: Sendable, Equatable {
    /// SHA-256 of the token, 32 bytes.
    package var tokenHash: [UInt8]
    /// The brand.
    package var brand: BrandID
    /// The consumer.
    package var consumer: ConsumerID
    /// The device that it is bound to, if any.
    package var device: DeviceID?
    /// The credential that opened it, whose revocation ends it; nil for anonymous logins and for the admin's.
    package var credential: String?
    /// When it expires.
    package var expiresAt: Timestamp
    /// When it was opened.
    package var createdAt: Timestamp

    /// Creates a session.
    package init(
        tokenHash: [UInt8],
        brand: BrandID,
        consumer: ConsumerID,
        device: DeviceID?,
        credential: String? = nil,
        expiresAt: Timestamp,
        createdAt: Timestamp
    ) {
        self.tokenHash = tokenHash
        self.brand = brand
        self.consumer = consumer
        self.device = device
        self.credential = credential
        self.expiresAt = expiresAt
        self.createdAt = createdAt
    }
}
