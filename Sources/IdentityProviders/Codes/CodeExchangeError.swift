package import GatewayStorage
package import Identity

/// Why a code was not redeemed.
package enum CodeExchangeError: Error, Sendable, Equatable {
    /// The code, or who must take it, is at fault.
    case refused(AuthenticationError)
    /// Too many exchanges are under way; the code is not burnt.
    case overloaded
    /// The store could not note the code, so that nobody was asked; it may be burnt.
    case storage(StorageError)
}
