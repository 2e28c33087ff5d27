package import GatewayStorage
package import Identity

/// Why a code was not redeemed.
package enum CodeExchangeError: Error, Sendable, Equatable {
    /// The code, or who must take it, is at fault.
    case refused(AuthenticationError)
    /// Too many exchanges are under way; the code is not burnt.
    case overloaded
    /// Too many codes of this provider were presented lately; the code is not burnt, and may come again after so many seconds.
    case limited(retryAfterSeconds: Int)
    /// The store could not note the code, so that nobody was asked; it may be burnt.
    case storage(StorageError)
}
