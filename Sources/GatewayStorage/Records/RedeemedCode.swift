package import GatewayModel

/// An authorization code (R51), or an assertion of a credential for single use, that was presented and must not be
/// presented again.
package struct RedeemedCode: Sendable, Equatable {
    /// SHA-256 of brand, token endpoint, client and code, or of brand, credential and `jti`; 32 bytes.
    package var hash: [UInt8]
    /// The beginning of its retention: when a code was presented, or at an assertion's `exp`.
    package var keptFrom: Timestamp

    /// The retention, in milliseconds: an hour.
    ///
    /// Providers let codes live for 10 minutes at most (RFC 6749 section 4.1.2); the rest is for clocks that differ. A
    /// longer retention would gain nothing and let strangers fill the disk with invented codes. An assertion's hour
    /// begins when it is rejected by its expiry, so that one that waits for its commit is not accepted again.
    package static let lifetimeMilliseconds: Int64 = 3_600_000

    /// Creates a record.
    package init(hash: [UInt8], keptFrom: Timestamp) {
        self.hash = hash
        self.keptFrom = keptFrom
    }
}
