package import GatewayModel

/// What one turn of the writer did.
package struct WriterTurnResult: Sendable {
    /// A result for each outcome, in order.
    package var outcomes: [OutcomeEffect]
    /// A result for each change, in order.
    package var changes: [StoreChangeResult]
    /// For each accept request, a result for each of its events, in order.
    package var accepts: [[EventResult]]
    /// New rows that are owned by the turn's incarnation, by id: the lanes send them from memory.
    package var owned: [OutboxRow]
    /// Queues that got rows that nobody owns, new ones or others, each with the time when the first of them is due.
    package var unowned: [LaneQueue: Timestamp]
    /// A result for each claim, in order.
    package var claims: [ClaimResult]
    /// How many rows each request to requeue made due, in order.
    package var requeued: [Int]
    /// Devices that outcomes have stopped, by their lanes.
    package var stopped: [LaneID: StoppedDevices]
    /// A result for each request of ``WriterTurn/invalidations``, in order.
    package var invalidations: [StoppedDeviceResult]
    /// A result for each request of ``WriterTurn/putBacks``, in order.
    package var putBacks: [StoppedDeviceResult]
    /// Rows of earlier turns that this one ended without an answer, whatever for: read, collapsed, unregistered; what of
    /// them waits in memory goes.
    package var withdrawn: [WithdrawnRow]
    /// Unread counts that this turn changed, as they are at its end.
    package var unread: [ConsumerKey: Int64]
    /// What the turn did to consumers who have a window open, in order; nothing is made for others.
    package var news: [WindowNews]
    /// How many rows were held for windows, and what became of such.
    package var held: HeldCounts

    /// An empty result.
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
        withdrawn = []
        unread = [:]
        news = []
        held = HeldCounts()
    }
}

/// What a turn did with rows that wait for an open window's acknowledgement.
package struct HeldCounts: Sendable, Equatable {
    /// New ones.
    package var made = 0
    /// Given to their lanes, because their window closed.
    package var released = 0
    /// Ended by the acknowledgement of their window.
    package var suppressed = 0

    /// Nothing was done.
    package init() {}
}

/// A row that ended without an answer.
package struct WithdrawnRow: Sendable, Equatable {
    /// The delivery.
    package var delivery: DeliveryID
    /// Its registration.
    package var registration: RegistrationID

    /// Takes a row that ended.
    ///
    /// - Parameters:
    ///   - delivery: The delivery.
    ///   - registration: Its registration.
    package init(delivery: DeliveryID, registration: RegistrationID) {
        self.delivery = delivery
        self.registration = registration
    }
}

/// What a claim got.
package struct ClaimResult: Sendable {
    /// The lane.
    package var lane: LaneID
    /// Its queue.
    package var queue: OutboxQueue
    /// The rows, device by device as they are due, and by id; they are owned now.
    package var rows: [OutboxRow]
    /// When the first unowned row that is left in the queue is due; nil when none is left but for those of ``behind``.
    package var nextDue: Timestamp?
    /// Registrations that have their share of rows in memory, of which rows are left: none of these is due before
    /// ``WriterTurn/recalls`` names them.
    package var behind: [RegistrationID]

    /// Takes what a claim got.
    ///
    /// - Parameters:
    ///   - lane: The lane.
    ///   - queue: Its queue.
    ///   - rows: The rows.
    ///   - nextDue: When the first unowned row that is left is due.
    ///   - behind: Registrations of which rows are left that wait to be recalled.
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

/// What the start of an incarnation found.
package struct IncarnationStart: Sendable {
    /// The new incarnation.
    package var incarnation: IncarnationID
    /// When the first row that waits in each queue is due; a queue that is absent has nothing.
    ///
    /// How many wait is not counted: that would read them all.
    package var backlog: [LaneQueue: Timestamp]
    /// How many rows were taken back from earlier incarnations.
    package var recovered: Int
    /// The newest message's id, above which those of new ones lie whatever the clock says; nil when there is none.
    package var lastMessage: MessageID?
    /// Lanes with stopped devices, and those that are suspended.
    package var stopped: [LaneID: StoppedAtStart] = [:]

    /// Longer than any wait that a provider's answer leads to, in milliseconds: two days.
    ///
    /// The longest that can be set is a day and a fifth of it (`delivery.retryDelaysSeconds`).
    package static let longestWaitMilliseconds: Int64 = 2 * 86_400_000

    /// Takes what a start found.
    ///
    /// - Parameters:
    ///   - incarnation: The new incarnation.
    ///   - backlog: When the first row that waits in each queue is due.
    ///   - recovered: How many rows were taken back.
    ///   - lastMessage: The newest message's id.
    package init(incarnation: IncarnationID, backlog: [LaneQueue: Timestamp], recovered: Int, lastMessage: MessageID?) {
        self.incarnation = incarnation
        self.backlog = backlog
        self.recovered = recovered
        self.lastMessage = lastMessage
    }
}
