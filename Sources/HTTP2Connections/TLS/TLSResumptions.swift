/// The sessions that a peer gave for resumption and that were not used yet, the newest few.
///
/// Each is used once, as RFC 8446 appendix C.4 asks, but for the last one: a connection resumed twice costs less than a full
/// handshake, and a peer that takes no session twice makes one by itself.
struct TLSResumptions {
    /// A peer gives two with each connection as a rule; a pool that grows doubles.
    private static let limit = 16

    private var sessions: [TLSResumption] = []

    /// Keeps sessions, the oldest of them first.
    mutating func add(_ new: [TLSResumption]) {
        sessions += new
        sessions.removeFirst(max(0, sessions.count - Self.limit))
    }

    /// The newest session, for the next connection.
    mutating func next() -> TLSResumption? {
        sessions.count > 1 ? sessions.removeLast() : sessions.last
    }
}
