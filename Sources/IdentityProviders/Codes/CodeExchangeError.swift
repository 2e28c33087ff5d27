package import GatewayStorage
package import Identity

/// The reason why a code was not redeemed.
package enum CodeExchangeError: Error, Sendable, Equatable {
    /// The code was rejected, or its provider is unavailable.
    case refused(AuthenticationError)
    /// Too many exchanges are running; the code is not marked as used.
    case overloaded
    /// The rate limit of this provider is exceeded; the code is not marked as used, and may be sent again after the
    /// given seconds.
    case limited(retryAfterSeconds: Int)
    /// The store failed before the provider was asked; the code may be marked as used.
    case storage(StorageError)
}
