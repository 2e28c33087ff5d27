/// The source from which a pool pulls requests, and which receives the responses.
///
/// Requests must be up to date when they are sent, so a connection pulls requests when it has capacity for them and
/// keeps no queue of its own. All three methods are called on the pool's event loop and must not block it.
package protocol HTTP2RequestSource: AnyObject, Sendable {
    /// Appends at most `capacity` requests that may be sent now.
    ///
    /// Appending fewer means that there are no more: the pool then pulls again only after its `wake()` was called.
    /// A request beyond `capacity` fails as unprocessed.
    ///
    /// - Parameters:
    ///   - connection: The number of the connection that sends them, unique in this pool.
    ///   - capacity: The number of requests that fit into the stream limit and the send window, at least 1.
    ///   - requests: Empty when called; its storage is reused.
    func nextRequests(connection: UInt64, capacity: Int, into requests: inout [HTTP2Request])

    /// Receives responses, one batch per read burst. Every pulled request gets exactly one.
    ///
    /// `wake()` and `shutdown(deadline:)` of the pool may be called from here.
    ///
    /// - Parameter responses: The responses in the order in which the streams ended.
    func receive(_ responses: [HTTP2Response])

    /// Receives the new state of one of the pool's connections.
    ///
    /// - Parameters:
    ///   - connection: Its number in this pool.
    ///   - state: The new state; `failed` and `closed` are final.
    func connectionChanged(_ connection: UInt64, _ state: HTTP2ConnectionState)
}
