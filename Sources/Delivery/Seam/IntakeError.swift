package import GatewayStorage

/// The error of a request for events, or of a change, that was not taken; nothing of it is stored.
package enum IntakeError: Error, Sendable, Equatable {
    /// Too much is waiting already: try again after this many seconds.
    case overloaded(retryAfterSeconds: Int)
    /// The gateway is stopping.
    case stopping
    /// The store failed.
    case storage(StorageError)
    /// The host lacks something that is needed to send and record what would be accepted.
    case fault(HostFault)
}
