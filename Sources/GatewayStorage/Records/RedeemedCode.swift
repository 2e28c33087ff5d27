package import GatewayModel

/// An authorization code (R51), or an assertion of a credential for single use, that was presented and must not be
/// presented again.
package struct RedeemedCode: Sendable, Equatable {
    /// SHA-256 of brand, token endpoint, client and code, or of brand, credential and `jti`; 32 bytes.
    package var hash: [UInt8]
    /// When the time for which it is kept begins: when a code was presented, or at an assertion's `exp`.
    package var keptFrom: Timestamp

    /// How long it is kept, in milliseconds: an hour.
    ///
    /// Providers let codes live for 10 minutes at most (RFC 6749 section 4.1.2); the rest is for clocks that differ. Longer
    /// would gain nothing and let strangers fill the disk with codes that they make up. An assertion's hour begins when it is
    /// refused anyway, so that one that waits for its commit is not accepted again.
    package static let lifetimeMilliseconds: Int64 = 3_600_000

    /// Takes what was presented.
    ///
    /// - Parameters:
    ///   - hash: Its SHA-256.
    ///   - keptFrom: When the time for which it is kept begins.
    package init(hash: [UInt8], keptFrom: Timestamp) {
        self.hash = hash
        self.keptFrom = keptFrom
    }
}
