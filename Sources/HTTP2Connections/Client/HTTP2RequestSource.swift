/// Where a pool pulls requests from and answers them to.
///
/// What is sent must be true at the moment of sending, so a connection asks for requests when it has room for them and
/// keeps no queue of its own. All three methods are called on the pool's event loop and must not block it.
package protocol HTTP2RequestSource: AnyObject, Sendable {
    /// Appends at most `capacity` requests, those that may go out now.
    ///
    /// Appending fewer means that there are no more: the pool then asks again only after its `wake()` was called.
    /// A request beyond `capacity` is answered as unprocessed.
    ///
    /// - Parameters:
    ///   - connection: The connection that they go out on: its number in this pool, never used again for another.
    ///   - capacity: How many streams and how much send window there is room for, at least 1.
    ///   - requests: Empty when called; its storage is reused.
    func nextRequests(connection: UInt64, capacity: Int, into requests: inout [HTTP2Request])

    /// Takes answers, one batch per read burst. Every pulled request is answered exactly once.
    ///
    /// `wake()` and `shutdown(deadline:)` of the pool may be called from here.
    ///
    /// - Parameter responses: In the order in which the streams ended.
    func receive(_ responses: [HTTP2Response])

    /// Learns what became of one of the pool's connections.
    ///
    /// - Parameters:
    ///   - connection: Its number in this pool.
    ///   - state: What it is now; `failed` and `closed` are the last.
    func connectionChanged(_ connection: UInt64, _ state: HTTP2ConnectionState)
}
