package import GatewayModel

/// The result of one turn of the writer.
package struct WriterTurnResult: Sendable {
    /// A result for each outcome, in order.
    package var outcomes: [OutcomeEffect]
    /// A result for each change, in order.
    package var changes: [StoreChangeResult]
    /// For each accept request, a result for each of its events, in order.
    package var accepts: [[EventResult]]
    /// New rows that are owned by the turn's incarnation, by id: the lanes send them from memory.
    package var owned: [OutboxRow]
    /// Queues that got unowned rows, new ones or others, each with the time when the first of them is due.
    package var unowned: [LaneQueue: Timestamp]
    /// A result for each claim, in order.
    package var claims: [ClaimResult]
    /// The number of rows that each request to requeue made due, in order.
    package var requeued: [Int]
    /// Devices that outcomes stopped, by their lanes.
    package var stopped: [LaneID: StoppedDevices]
    /// A result for each request of ``WriterTurn/invalidations``, in order.
    package var invalidations: [StoppedDeviceResult]
    /// A result for each request of ``WriterTurn/putBacks``, in order.
    package var putBacks: [StoppedDeviceResult]
    /// The turn's changes that others keep in memory.
    package var updates: TurnUpdates
    /// The numbers of rows that were held for windows, released and suppressed.
    package var held: HeldCounts

    /// Creates an empty result.
    package init() {
        outcomes = []
        changes = []
        accepts = []
        owned = []
        unowned = [:]
        claims = []
        requeued = []
        stopped = [:]
        invalidations = []
        putBacks = []
        updates = TurnUpdates()
        held = HeldCounts()
    }
}

/// The numbers of rows that wait for an open window's acknowledgement.
package struct HeldCounts: Sendable, Equatable {
    /// New ones.
    package var made = 0
    /// Released to their lanes, because their window closed.
    package var released = 0
    /// Ended by the acknowledgement of their window.
    package var suppressed = 0

    /// Creates zero counts.
    package init() {}
}

/// The result of a claim.
package struct ClaimResult: Sendable {
    /// The lane.
    package var lane: LaneID
    /// Its queue.
    package var queue: OutboxQueue
    /// The rows, device by device as they are due, and by id; they are owned now.
    package var rows: [OutboxRow]
    /// When the first remaining unowned row of the queue is due; nil when none is left except those of ``behind``.
    package var nextDue: Timestamp?
    /// Registrations that have their share of rows in memory and more rows left: none of these is due before
    /// ``WriterTurn/recalls`` names them.
    package var behind: [RegistrationID]

    /// Creates a result.
    package init(
        lane: LaneID,
        queue: OutboxQueue = .agent,
        rows: [OutboxRow],
        nextDue: Timestamp?,
        behind: [RegistrationID] = []
    ) {
        self.lane = lane
        self.queue = queue
        self.rows = rows
        self.nextDue = nextDue
        self.behind = behind
    }
}

/// The result of the start of an incarnation.
package struct IncarnationStart: Sendable {
    /// The new incarnation.
    package var incarnation: IncarnationID
    /// The time of the start by the store's clock; the caller's time if the store has no clock.
    package var now: Timestamp
    /// When the first waiting row of each queue is due; an absent queue is empty.
    ///
    /// The waiting rows are not counted: that would read them all.
    package var backlog: [LaneQueue: Timestamp]
    /// The number of rows that were requeued from earlier incarnations.
    package var recovered: Int
    /// The newest message's id; those of new ones are above it, whatever the clock shows.
    ///
    /// Nil when there is none.
    package var lastMessage: MessageID?
    /// Lanes with stopped devices, and those that are suspended.
    package var stopped: [LaneID: StoppedAtStart] = [:]

    /// Longer than any wait that a provider's response causes, in milliseconds: two days.
    ///
    /// The longest configurable wait is a day and a fifth of it (`delivery.retryDelaysSeconds`).
    package static let longestWaitMilliseconds: Int64 = 2 * 86_400_000

    /// Creates a result.
    package init(
        incarnation: IncarnationID,
        now: Timestamp,
        backlog: [LaneQueue: Timestamp],
        recovered: Int,
        lastMessage: MessageID?
    ) {
        self.incarnation = incarnation
        self.now = now
        self.backlog = backlog
        self.recovered = recovered
        self.lastMessage = lastMessage
    }
}
