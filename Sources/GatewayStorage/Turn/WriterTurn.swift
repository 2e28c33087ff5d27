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
    package var budgets: LaneBudgets
    /// How many rows registrations have in memory; one that is absent has at most one.
    package var rowsInMemory: [RegistrationID: Int] = [:]
    /// Rows that lanes with a backlog ask for.
    package var claims: [ClaimRequest]
    /// Registrations of which a claim left rows behind, and none of whose rows is in memory any more: what was left is due;
    /// done right after the outcomes.
    package var recalls: [RegistrationID] = []
    /// Lanes whose rows wait no longer for quiet hours, because these are others now; done right after the outcomes.
    package var requeues: [RequeueRequest] = []
    /// Lanes that are suspended from now on, and those that are no longer (false).
    ///
    /// So many of a lane's devices were stopped that their provider is not believed. It is only remembered, for the next start.
    package var suspensions: [LaneID: Bool] = [:]
    /// Stopped devices that are believed to be gone: their registrations end, and the outbound feed says
    /// ``GatewayModel/UnregisterReason/tokenDead``; done right after the outcomes.
    package var invalidations: [StoppedDeviceRequest] = []
    /// Stopped devices that are registered again as if nothing had been; done after ``invalidations``.
    ///
    /// What failed or was cancelled for them when they were stopped waits to be sent, if its time is not over and nothing has
    /// taken its place.
    package var putBacks: [StoppedDeviceRequest] = []

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
    /// At most this many of them are proactive, so that some are left for agents' messages.
    package var proactiveSlots: Int
    /// Classes whose new rows are written as unowned, because older ones of the class wait.
    package var closed: Set<PushClass> = []
    /// Whether rows of campaigns are written as unowned, because campaigns have a pace.
    package var pacesCampaigns = false
    /// Whether some device of the lane may have unowned rows, so that the engine must look before it owns a younger one.
    package var mayHaveBacklog: Bool
    /// At most this many rows of one device are in memory; nil sets no limit.
    package var deviceLimit: DeviceLimit?

    /// Takes a budget.
    ///
    /// - Parameters:
    ///   - slots: At most this many rows are written as owned.
    ///   - proactiveSlots: At most this many of them are proactive; as many as there are when it is not given.
    ///   - mayHaveBacklog: Whether the engine must look for older unowned rows of the device.
    ///   - deviceLimit: At most this many rows of one device are in memory.
    package init(slots: Int, proactiveSlots: Int? = nil, mayHaveBacklog: Bool, deviceLimit: DeviceLimit? = nil) {
        self.slots = slots
        self.proactiveSlots = proactiveSlots ?? slots
        self.mayHaveBacklog = mayHaveBacklog
        self.deviceLimit = deviceLimit
    }

    /// Whether a new row of a queue can be owned, as far as its lane goes.
    ///
    /// - Parameter queue: The row's queue.
    /// - Returns: False when it is written as unowned.
    package func admits(_ queue: OutboxQueue) -> Bool {
        guard slots > 0, !closed.contains(queue.pushClass), !(pacesCampaigns && queue.isCampaign) else { return false }
        return queue.pushClass != .proactive || proactiveSlots > 0
    }

    /// Takes a slot for a row.
    ///
    /// - Parameter queue: The row's queue.
    package mutating func take(_ queue: OutboxQueue) {
        slots -= 1
        if queue.pushClass == .proactive { proactiveSlots -= 1 }
    }
}

/// How many rows of one device are in memory at most.
package struct DeviceLimit: Sendable, Equatable {
    /// Rows of any class, at least 2.
    package var rows: Int
    /// A proactive row comes only while fewer than this are there, at least 2.
    ///
    /// What is left is for agents' messages, which then need not wait until the device's proactive ones have left.
    package var proactive: Int

    /// Takes a limit.
    ///
    /// - Parameters:
    ///   - rows: Rows of any class, at least 2.
    ///   - proactive: Rows beside which a proactive one still comes; half of all, at least 2, when it is not given.
    package init(_ rows: Int, proactive: Int? = nil) {
        self.rows = rows
        self.proactive = proactive ?? max(rows / 2, 2)
    }

    /// The limit for a row of a class.
    ///
    /// - Parameter pushClass: The class.
    /// - Returns: The row comes while fewer than so many are there.
    package func most(_ pushClass: PushClass) -> Int { pushClass == .proactive ? proactive : rows }
}

/// A lane's demand for rows of its backlog in one queue: of the devices whose rows are due first, the oldest rows of each.
package struct ClaimRequest: Sendable, Equatable {
    /// How many rows of one device are handed out.
    package enum DeviceRows: Sendable, Equatable {
        /// As many as fit, whosever they are.
        case any
        /// At most so many are in memory, with those that are there already. What is left of the device is due once it is
        /// recalled: ``ClaimResult/behind``.
        case limited(to: DeviceLimit)
        /// All of a device together, so that the lane can make one push of many: as far as they fit into
        /// ``ClaimRequest/limit``, and of the first device up to so many, if more agents' messages than that limit wait for it
        /// that show something. A device whose rows do not fit waits for a later claim, and so do those behind it.
        case whole(upTo: Int)
    }

    /// The lane.
    package var lane: LaneID
    /// Its queue.
    package var queue: OutboxQueue
    /// At most this many, but for ``DeviceRows/whole(upTo:)``.
    package var limit: Int
    /// How many rows of one device are handed out.
    package var deviceRows: DeviceRows

    /// How many rows it brings at the most.
    package var most: Int {
        if case .whole(let most) = deviceRows { max(limit, most) } else { limit }
    }

    /// Takes a demand.
    ///
    /// - Parameters:
    ///   - lane: The lane.
    ///   - queue: Its queue.
    ///   - limit: At most this many.
    ///   - deviceRows: How many rows of one device are handed out.
    package init(lane: LaneID, queue: OutboxQueue = .agent, limit: Int, deviceRows: DeviceRows = .any) {
        self.lane = lane
        self.queue = queue
        self.limit = limit
        self.deviceRows = deviceRows
    }
}

/// A lane whose devices wait no longer for quiet hours, in the order in which they would have become due.
///
/// A device that a provider asked to wait, or that waits for its next try, is due then.
package struct RequeueRequest: Sendable, Equatable {
    /// The lane.
    package var lane: LaneID
    /// Its queues that may have rows in the store.
    package var queues: [OutboxQueue]
    /// At most this many devices, each counted in each of its queues.
    package var limit: Int

    /// Takes a request.
    ///
    /// - Parameters:
    ///   - lane: The lane.
    ///   - queues: Its queues that may have rows in the store.
    ///   - limit: At most this many devices.
    package init(lane: LaneID, queues: [OutboxQueue] = [.agent], limit: Int) {
        self.lane = lane
        self.queues = queues
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

    /// Hours within which lies every event that is remembered: ten years.
    package static let allDedupeHours: Int64 = 87_600
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
