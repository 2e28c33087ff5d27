package import GatewayModel

/// What the writer does in one transaction.
package struct WriterTurn: Sendable {
    /// The time of the turn.
    package var now: Timestamp
    /// Who owns the rows that get a slot.
    package var incarnation: IncarnationID
    /// Whose agents' messages are held back from pushes, as the turn begins.
    package var windows = OpenWindows()
    /// What became of pushes.
    package var outcomes: [OutcomeRecord]
    /// Consumers with a window that closed: held rows of theirs that ``windows`` holds no longer are pushed.
    ///
    /// Done after the outcomes and before everything else, so that new rows stay behind them; costs next to nothing for who
    /// has none.
    package var releases: [ConsumerName] = []
    /// Devices that gave a sign of life; noted before the changes, for each not twice within
    /// ``GatewayModel/DeviceRegistration/seenForSeconds``.
    package var seen: [DeviceSighting] = []
    /// What devices and back-ends changed, in the order asked.
    package var changes: [StoreChange]
    /// Events to accept, in the order asked.
    package var accepts: [AcceptRequest]
    /// How many new rows each lane can take into memory; a lane that is absent takes none.
    package var budgets: [LaneID: LaneBudget]
    /// Rows that lanes with a backlog ask for.
    package var claims: [ClaimRequest]
    /// Lanes whose rows wait no longer for quiet hours, because these are others now; done right after the outcomes.
    package var requeues: [RequeueRequest] = []

    /// An empty turn.
    ///
    /// - Parameters:
    ///   - now: The time of the turn.
    ///   - incarnation: Who owns the rows that get a slot.
    package init(now: Timestamp, incarnation: IncarnationID) {
        self.now = now
        self.incarnation = incarnation
        self.outcomes = []
        self.changes = []
        self.accepts = []
        self.budgets = [:]
        self.claims = []
    }
}

/// How many new rows a lane can take into memory in this turn: reserved before the commit.
package struct LaneBudget: Sendable, Equatable {
    /// At most this many rows are written as owned; the rest as unowned.
    package var slots: Int
    /// Whether some device of the lane may have unowned rows, so that the engine must look before it owns a younger one.
    package var mayHaveBacklog: Bool

    /// Takes a budget.
    ///
    /// - Parameters:
    ///   - slots: At most this many rows are written as owned.
    ///   - mayHaveBacklog: Whether the engine must look for older unowned rows of the device.
    package init(slots: Int, mayHaveBacklog: Bool) {
        self.slots = slots
        self.mayHaveBacklog = mayHaveBacklog
    }
}

/// A lane's demand for rows of its backlog.
package struct ClaimRequest: Sendable, Equatable {
    /// The lane.
    package var lane: LaneID
    /// At most this many, but for ``deviceLimit``.
    package var limit: Int
    /// Up to how many rows of one device are handed out together; nil hands out what is due first, whosever it is.
    ///
    /// Together, so that the lane can make one push of many: as far as they fit into ``limit``, and of the first device up to
    /// this many, if more agents' messages than ``limit`` wait for it that show something.
    package var deviceLimit: Int?

    /// Takes a demand.
    ///
    /// - Parameters:
    ///   - lane: The lane.
    ///   - limit: At most this many.
    ///   - deviceLimit: Up to how many rows of one device are handed out together; at least `limit`.
    package init(lane: LaneID, limit: Int, deviceLimit: Int? = nil) {
        self.lane = lane
        self.limit = limit
        self.deviceLimit = deviceLimit
    }
}

/// A lane whose rows wait no longer for quiet hours, in the order in which they would have become due.
///
/// Rows that a provider asked to wait, or that wait for their next try, are due then; so are those behind them.
package struct RequeueRequest: Sendable, Equatable {
    /// The lane.
    package var lane: LaneID
    /// At most this many.
    package var limit: Int

    /// Takes a request.
    ///
    /// - Parameters:
    ///   - lane: The lane.
    ///   - limit: At most this many.
    package init(lane: LaneID, limit: Int) {
        self.lane = lane
        self.limit = limit
    }
}

/// Events of one request (or a piece of one) that are accepted together.
package struct AcceptRequest: Sendable {
    /// The brand.
    package var brand: BrandID
    /// How long a push may wait when its event says nothing, in seconds.
    package var messageTtlSeconds: Int64
    /// How long the events' ids are remembered, in hours.
    package var dedupeHours: Int64
    /// The events.
    package var events: [PostedEvent]

    /// Takes events of one request.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - messageTtlSeconds: How long a push may wait when its event says nothing.
    ///   - dedupeHours: How long the events' ids are remembered.
    ///   - events: The events.
    package init(
        brand: BrandID,
        messageTtlSeconds: Int64,
        dedupeHours: Int64,
        events: [PostedEvent]
    ) {
        self.brand = brand
        self.messageTtlSeconds = messageTtlSeconds
        self.dedupeHours = dedupeHours
        self.events = events
    }
}
