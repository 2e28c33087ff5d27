/// The phase of a pool's connection, for metrics.
package enum HTTP2ConnectionPhase: Sendable {
    /// DNS, TCP, TLS, or waiting for the first SETTINGS.
    case connecting
    /// It takes requests.
    case ready
    /// It takes no more requests, and waits for responses or for its end.
    case draining
}

/// The reason why a connection cannot take more requests.
package enum HTTP2HoldBack: String, Sendable {
    /// The peer's stream limit.
    case streams
    /// The peer's window for the connection is used up.
    case window
}

/// Receives changes of a pool's connections, for metrics.
///
/// Called on the pool's event loop; must not block it.
package protocol HTTP2PoolObserver: Sendable {
    /// Receives a change of a connection's phase.
    ///
    /// - Parameters:
    ///   - old: The old phase; nil for a new connection.
    ///   - new: The new phase; nil when the connection is closed.
    func connectionChanged(from old: HTTP2ConnectionPhase?, to new: HTTP2ConnectionPhase?)

    /// Receives the end of a connection.
    ///
    /// - Parameter reason: A label from a closed set: that of ``HTTP2DrainReason`` or ``HTTP2ConnectionFailure``, or
    ///   `closed`.
    func connectionEnded(reason: String)

    /// Receives the change in the number of open streams since the last call.
    func openStreamsChanged(by difference: Int)

    /// Receives that a connection became blocked.
    func connectionHeldBack(by reason: HTTP2HoldBack)
}
