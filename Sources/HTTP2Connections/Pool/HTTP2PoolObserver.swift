/// What a connection of a pool is doing, for counting.
package enum HTTP2ConnectionPhase: Sendable {
    /// DNS, TCP, TLS, or waiting for the first SETTINGS.
    case connecting
    /// It takes requests.
    case ready
    /// It takes none any more, and waits for answers or for its end.
    case draining
}

/// What keeps a connection from taking more requests.
package enum HTTP2HoldBack: String, Sendable {
    /// The peer's stream limit.
    case streams
    /// The peer's window for the connection is used up.
    case window
}

/// Counts what a pool's connections do.
///
/// Called on the pool's event loop; must not block it.
package protocol HTTP2PoolObserver: Sendable {
    /// A connection went from one phase to another.
    ///
    /// - Parameters:
    ///   - old: What it did; nil for a new one.
    ///   - new: What it does; nil when it is gone.
    func connectionChanged(from old: HTTP2ConnectionPhase?, to new: HTTP2ConnectionPhase?)

    /// A connection ended.
    ///
    /// - Parameter reason: A label from a closed set: that of ``HTTP2DrainReason`` or ``HTTP2ConnectionFailure``, or `closed`.
    func connectionEnded(reason: String)

    /// Streams were opened or ended since the last call.
    func openStreamsChanged(by difference: Int)

    /// A connection that could take requests cannot any more.
    func connectionHeldBack(by reason: HTTP2HoldBack)
}
