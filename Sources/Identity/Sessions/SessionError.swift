package import GatewayStorage

/// The reason why a session was not opened, found or ended.
package enum SessionError: Error, Sendable, Equatable {
    /// The caller has no live session.
    case refused(AuthenticationError)
    /// There is no such brand.
    case unknownBrand
    /// The store failed.
    case storage(StorageError)
}
