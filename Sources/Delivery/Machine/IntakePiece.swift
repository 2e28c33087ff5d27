package import GatewayModel

/// A piece of a request: events of one brand that wait for one commit.
package struct IntakePiece: Sendable {
    /// Whose events they are.
    package var brand: BrandID
    /// How long a push may wait when its event says nothing.
    package var messageTtlSeconds: Int64
    /// How long the events' ids are remembered.
    package var dedupeHours: Int64
    /// The events, validated; at most ``WriterMachine/eventsPerPiece(of:)``.
    package var events: ArraySlice<AgentEvent>
    /// When it was taken, on the monotonic clock, in nanoseconds.
    package var takenAt: UInt64
    /// What it holds in memory.
    let bytes: Int

    /// Takes what a piece consists of.
    ///
    /// - Parameters:
    ///   - brand: Whose events they are.
    ///   - messageTtlSeconds: How long a push may wait when its event says nothing.
    ///   - dedupeHours: How long the events' ids are remembered.
    ///   - events: The events, validated.
    ///   - takenAt: When it was taken, on the monotonic clock, in nanoseconds.
    package init(
        brand: BrandID,
        messageTtlSeconds: Int64,
        dedupeHours: Int64,
        events: ArraySlice<AgentEvent>,
        takenAt: UInt64
    ) {
        self.brand = brand
        self.messageTtlSeconds = messageTtlSeconds
        self.dedupeHours = dedupeHours
        self.events = events
        self.takenAt = takenAt
        // What a waiting event holds beyond its texts is about 400 bytes.
        self.bytes = events.reduce(0) { $0 + 400 + $1.text.utf8.count + ($1.data?.text.utf8.count ?? 0) }
    }
}
