package import GatewayModel

/// The work that the writer does in one transaction.
package struct WriterTurn: Sendable {
    /// The time of the turn.
    package var now: Timestamp
    /// The owner of the rows that get a slot, and of those that the outcomes end.
    ///
    /// The fence of the turn: the store refuses it once a later incarnation has started.
    package var incarnation: IncarnationID
    /// The consumers whose agents' messages are held back from pushes, as the turn begins.
    package var windows = OpenWindows()
    /// The outcomes of pushes.
    package var outcomes: [OutcomeRecord]
    /// Consumers with a window that closed: their held rows that ``windows`` no longer holds are pushed.
    ///
    /// Done after the outcomes and before everything else, so that new rows stay behind them; costs next to nothing for
    /// a consumer without any.
    package var releases: [ConsumerName] = []
    /// Devices that showed activity.
    ///
    /// The activity is stored before the changes, for each device not twice within
    /// ``GatewayModel/DeviceRegistration/seenForSeconds``.
    package var seen: [DeviceSighting] = []
    /// The changes by devices and back-ends, in the order of their requests.
    package var changes: [StoreChange]
    /// Events to accept, in the order of their requests.
    package var accepts: [AcceptRequest]
    /// The number of new rows that each lane can take into memory; an absent lane takes none.
    package var budgets: LaneBudgets
    /// The number of rows that registrations have in memory; an absent one has at most one.
    package var rowsInMemory: [RegistrationID: Int] = [:]
    /// Claims of lanes with a backlog.
    package var claims: [ClaimRequest]
    /// Registrations of which a claim left rows, and none of whose rows is in memory any more: the remaining rows
    /// become due, right after the outcomes.
    package var recalls: [RegistrationID] = []
    /// Lanes whose quiet hours have changed: their rows no longer wait for them.
    ///
    /// Done right after the outcomes.
    package var requeues: [RequeueRequest] = []
    /// Lanes that are suspended from now on (true) or no longer (false).
    ///
    /// So many of a lane's devices were stopped that the provider's reports are not trusted. Stored only for the next
    /// start.
    package var suspensions: [LaneID: Bool] = [:]
    /// Stopped devices whose tokens count as dead: their registrations end, with the reason
    /// ``GatewayModel/UnregisterReason/tokenDead`` in the outbound feed; done right after the outcomes.
    package var invalidations: [StoppedDeviceRequest] = []
    /// Stopped devices that are restored as if they had not been stopped; done after ``invalidations``.
    ///
    /// Their deliveries that failed or were cancelled by the stop are requeued, if they have not expired and nothing
    /// has replaced them.
    package var putBacks: [StoppedDeviceRequest] = []

    /// Creates an empty turn.
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

/// The number of new rows that a lane can take into memory in this turn: reserved before the commit.
package struct LaneBudget: Sendable, Equatable {
    /// At most this many rows are written as owned; the rest as unowned.
    package var slots: Int
    /// At most this many of them are proactive, so that some are left for agents' messages.
    package var proactiveSlots: Int
    /// Classes whose new rows are written as unowned, because older ones of the class wait.
    package var closed: Set<PushClass> = []
    /// Whether rows of campaigns are written as unowned, because campaigns have a pace.
    package var pacesCampaigns = false
    /// Whether some device of the lane may have unowned rows, so that the engine must check before it owns a younger
    /// one.
    package var mayHaveBacklog: Bool
    /// At most this many rows of one device are in memory; nil sets no limit.
    package var deviceLimit: DeviceLimit?

    /// Creates a budget in which by default all rows may be proactive.
    package init(slots: Int, proactiveSlots: Int? = nil, mayHaveBacklog: Bool, deviceLimit: DeviceLimit? = nil) {
        self.slots = slots
        self.proactiveSlots = proactiveSlots ?? slots
        self.mayHaveBacklog = mayHaveBacklog
        self.deviceLimit = deviceLimit
    }

    /// Returns whether a new row of a queue can be owned, by the limits of its lane; false when it is written as
    /// unowned.
    package func admits(_ queue: OutboxQueue) -> Bool {
        guard slots > 0, !closed.contains(queue.pushClass), !(pacesCampaigns && queue.isCampaign) else { return false }
        return queue.pushClass != .proactive || proactiveSlots > 0
    }

    /// Takes a slot for a row.
    package mutating func take(_ queue: OutboxQueue) {
        slots -= 1
        if queue.pushClass == .proactive { proactiveSlots -= 1 }
    }
}

/// The upper bound of one device's rows in memory.
package struct DeviceLimit: Sendable, Equatable {
    /// Rows of any class, at least 2.
    package var rows: Int
    /// A proactive row is added only while fewer than this are there, at least 2.
    ///
    /// The rest is for agents' messages, which then need not wait until the device's proactive ones have been sent.
    package var proactive: Int

    /// Creates a limit of at least 2 rows of any class; that for a proactive row is half of it, at least 2, by default.
    package init(_ rows: Int, proactive: Int? = nil) {
        self.rows = rows
        self.proactive = proactive ?? max(rows / 2, 2)
    }

    /// Returns the limit for a row of a class, which is added while fewer than this are there.
    package func most(_ pushClass: PushClass) -> Int { pushClass == .proactive ? proactive : rows }
}

/// A lane's request for rows of its backlog in one queue: of the devices whose rows are due first, the oldest rows of
/// each.
package struct ClaimRequest: Sendable, Equatable {
    /// The limit of one device's rows in a claim.
    package enum DeviceRows: Sendable, Equatable {
        /// As many as fit, of any device.
        case any
        /// At most this many are in memory, including those that are there already. The device's remaining rows are due
        /// once it is recalled: ``ClaimResult/behind``.
        case limited(to: DeviceLimit)
        /// All of a device together, so that the lane can make one push of many, as far as they fit into
        /// ``ClaimRequest/limit``. Of the first device up to this many, if more visible agents' messages than that
        /// limit wait for it. A device whose rows do not fit waits for a later claim, and so do those behind it.
        case whole(upTo: Int)
    }

    /// The lane.
    package var lane: LaneID
    /// Its queue.
    package var queue: OutboxQueue
    /// At most this many, except with ``DeviceRows/whole(upTo:)``.
    package var limit: Int
    /// The limit of one device's rows.
    package var deviceRows: DeviceRows

    /// The upper bound of the rows that it returns.
    package var most: Int {
        if case .whole(let most) = deviceRows { max(limit, most) } else { limit }
    }

    /// Creates a request.
    package init(lane: LaneID, queue: OutboxQueue = .agent, limit: Int, deviceRows: DeviceRows = .any) {
        self.lane = lane
        self.queue = queue
        self.limit = limit
        self.deviceRows = deviceRows
    }
}

/// A request for a lane whose devices no longer wait for quiet hours, in the order in which they would have become due.
///
/// A device that a provider asked to wait, or that waits for its next try, keeps that due time.
package struct RequeueRequest: Sendable, Equatable {
    /// The lane.
    package var lane: LaneID
    /// Its queues that may have rows in the store.
    package var queues: [OutboxQueue]
    /// At most this many devices, each counted in each of its queues.
    package var limit: Int

    /// Creates a request.
    package init(lane: LaneID, queues: [OutboxQueue] = [.agent], limit: Int) {
        self.lane = lane
        self.queues = queues
        self.limit = limit
    }
}

/// Events of one request (or a part of one) that are accepted together.
package struct AcceptRequest: Sendable {
    /// The brand.
    package var brand: BrandID
    /// The lifetime of a push whose event names none, in seconds.
    package var messageTtlSeconds: Int64
    /// The retention of the events' ids, in hours.
    package var dedupeHours: Int64

    /// Hours that include every remembered event: ten years.
    package static let allDedupeHours: Int64 = 87_600
    /// The events.
    package var events: [PostedEvent]

    /// Creates a request.
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
