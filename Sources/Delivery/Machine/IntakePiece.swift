package import GatewayModel
package import Telemetry

/// A piece of a request: events of one brand that wait for one commit.
package struct IntakePiece: Sendable {
    /// The brand of the events.
    package var brand: BrandID
    /// The time that a push may wait when its event does not say.
    package var messageTtlSeconds: Int64
    /// The time that the events' ids are remembered.
    package var dedupeHours: Int64
    /// The events, validated; at most ``WriterMachine/eventsPerPiece(of:)``.
    package var events: ArraySlice<AgentEvent>
    /// The time at which the request was taken, on the monotonic clock, in nanoseconds.
    package var takenAt: UInt64
    /// The span that stores them, if their trace is recorded.
    package var trace: SpanIdentity?
    /// The memory that it uses.
    let bytes: Int

    /// Creates a piece.
    package init(
        brand: BrandID,
        messageTtlSeconds: Int64,
        dedupeHours: Int64,
        events: ArraySlice<AgentEvent>,
        takenAt: UInt64,
        trace: SpanIdentity? = nil
    ) {
        self.brand = brand
        self.messageTtlSeconds = messageTtlSeconds
        self.dedupeHours = dedupeHours
        self.events = events
        self.takenAt = takenAt
        self.trace = trace
        // A waiting event uses about 400 bytes beyond its texts.
        self.bytes = events.reduce(0) { $0 + 400 + $1.text.utf8.count + ($1.data?.text.utf8.count ?? 0) }
    }
}
