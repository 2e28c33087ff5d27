package import GatewayStorage

/// Why a request's events, or a change, were not taken; nothing of it is stored.
package enum IntakeError: Error, Sendable, Equatable {
    /// Too much is waiting already: try again after this many seconds.
    case overloaded(retryAfterSeconds: Int)
    /// The gateway is stopping.
    case stopping
    /// The store failed.
    case storage(StorageError)
    /// The machine lacks something that is needed to send and record what would be accepted.
    case fault(MachineFault)
}
