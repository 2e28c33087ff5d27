/// The newest unused TLS sessions of a peer, for resumption.
///
/// Each is used once, as RFC 8446 appendix C.4 recommends, except the last one: a session that is resumed twice costs
/// less than a full handshake, and a peer that accepts no session twice does a full handshake anyway.
package struct TLSResumptions {
    /// The most sessions: a peer usually sends two with each connection, and a growing pool doubles.
    private static let limit = 16

    private var sessions: [TLSResumption] = []

    /// Creates an empty collection.
    package init() {}

    /// Adds sessions, the oldest first.
    package mutating func add(_ new: [TLSResumption]) {
        sessions += new
        sessions.removeFirst(max(0, sessions.count - Self.limit))
    }

    /// Returns the newest session, for the next connection.
    package mutating func next() -> TLSResumption? {
        sessions.count > 1 ? sessions.removeLast() : sessions.last
    }
}
