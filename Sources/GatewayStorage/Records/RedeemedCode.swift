package import GatewayModel

/// An authorization code that was presented, which must not be presented again (R51).
package struct RedeemedCode: Sendable, Equatable {
    /// SHA-256 of brand, token endpoint, client and code, 32 bytes.
    package var hash: [UInt8]
    /// When it was presented.
    package var burntAt: Timestamp

    /// How long it is remembered, in milliseconds: an hour.
    ///
    /// Providers let codes live for 10 minutes at most (RFC 6749 section 4.1.2); the rest is for clocks that differ. Longer
    /// would gain nothing and let strangers fill the disk with codes that they make up.
    package static let lifetimeMilliseconds: Int64 = 3_600_000

    /// Takes a code.
    ///
    /// - Parameters:
    ///   - hash: SHA-256 of brand, token endpoint, client and code.
    ///   - burntAt: When it was presented.
    package init(hash: [UInt8], burntAt: Timestamp) {
        self.hash = hash
        self.burntAt = burntAt
    }
}
