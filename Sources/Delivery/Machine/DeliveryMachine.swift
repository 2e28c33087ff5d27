package import DequeModule
package import GatewayModel
package import GatewayStorage
import PushProviders

/// Decides what is sent, when, and what becomes of it: a pure value without a clock, IO or actors (Architecture
/// page, the delivery state machine).
///
/// Its shell feeds it, in this order and never two at once: ``beginTurn(now:)`` before each commit, the commit's result
/// to ``turnCommitted(_:of:now:)``, and at any time between, ``take(_:provider:capacity:now:into:)`` when a provider has room and
/// ``answered(_:now:)`` when it answered. What has to be written down is collected in ``outcomes``.
///
/// What it holds is a cache of the durable outbox: the rows that this incarnation owns, at most
/// ``DeliverySettings/slotsPerLane`` a lane. For each registration these are older than every row of it that nobody
/// owns; that is what keeps a device's pushes in order. Only rows that come back with their old numbers, because they are
/// tried again or their messaging window closed, may be older: they leave behind what is in memory then, and before what
/// comes later.
package struct DeliveryMachine: Sendable {
    /// How it behaves.
    package let settings: DeliverySettings
    /// What became of rows and is not written down yet, oldest first.
    package internal(set) var outcomes: Deque<OutcomeRecord> = []
    /// Each lane that has ever had a row, by its number.
    package internal(set) var lanes = LaneTable()

    /// What operators have not been told of lanes yet, in order.
    package internal(set) var alerts: [(lane: LaneID, alert: LaneAlert)] = []

    var registrations: [RegistrationID: Registration] = [:]
    var consumers: [ConsumerKey: Consumer] = [:]
    var inFlight: [DeliveryID: InFlight] = [:]
    /// How many outcomes were ever added, and how many of them are committed: the n-th outcome is on disk when
    /// `outcomesCommitted` has reached n.
    var outcomesAdded: UInt64 = 0
    var outcomesCommitted: UInt64 = 0
    /// The number of the last outcome that should be written down at once.
    var lastUrgentOutcome: UInt64 = 0
    /// When a turn took outcomes last; nil when none has.
    var outcomesTakenAt: Timestamp?
    /// The summaries that are on their way; what they stand for waits in memory for their answers.
    var summaries: [RegistrationID: Summary] = [:]
    /// Registrations with ``Registration/givenBack``.
    var givenBack: Set<RegistrationID> = []
    /// How many rows devices have in memory, and of which there are more in the store.
    var deviceRows = DeviceRows()
    /// What brands ask of their lanes; a lane that is absent asks nothing.
    var rules: [LaneID: LaneRules] = [:]
    /// When it is quiet, for those who asked lately.
    var quietSpans: [QuietKey: QuietSpan] = [:]
    /// Lanes whose rows in the store are to be due at once, and the outcome that must be committed before they all are there.
    var requeues: [LaneID: UInt64] = [:]
    /// Of campaigns that have a pace, how many pushes may leave, by their queues; one that is absent may begin.
    var paces: [OutboxQueue: CampaignPace] = [:]
    /// A token bucket for each quota that a lane has; lanes with the same quota share one.
    var quotas: [PushQuota: QuotaBucket] = [:]
    /// Lanes with stopped devices, and those whose provider is not believed.
    var guarded: Set<LaneID> = []
    var isDraining = false
    /// Whether rows end when their time is over; not while the clock may be wrong.
    package var mayExpire = true
    /// The queue of each class whose claim came last.
    var lastClaims: [PushClass: LaneQueue] = [:]
    /// No waiting row in memory expires before this moment; nil when there is none.
    var firstExpiry: Timestamp?
    /// When memory was last searched for expired rows.
    var lastExpiry: Timestamp?

    /// Starts with nothing in memory.
    ///
    /// - Parameters:
    ///   - settings: How it behaves.
    ///   - backlog: When the first row is due that waits in each queue in the store.
    package init(settings: DeliverySettings, backlog: [LaneQueue: Timestamp]) {
        self.settings = settings
        for (place, due) in backlog {
            addLane(place.lane)
            lanes[place.lane]?.backlog[place.queue] = due
        }
    }

    /// Starts with nothing in memory, where the process before ended.
    ///
    /// - Parameters:
    ///   - settings: How it behaves.
    ///   - start: What the store found.
    ///   - now: The wall clock.
    package init(settings: DeliverySettings, start: IncarnationStart, now: Timestamp) {
        self.init(settings: settings, backlog: start.backlog)
        for (id, found) in start.stopped { takeStopped(found, of: id, now: now) }
    }

    /// How many rows are in memory.
    package var rowCount: Int { lanes.busyLanes.reduce(0) { $0 + $1.lane.rows.total } }

    /// How many pushes are on their way.
    package var inFlightCount: Int { inFlight.count }

    /// A consumer with rows in memory.
    struct Consumer: Sendable {
        /// The unread count as of the last commit.
        var unread: Int64
        /// Registrations of it that are in memory: a consumer has few.
        var registrations: [RegistrationID] = []
    }

    /// A delivery that is on its way.
    struct InFlight: Sendable {
        var registration: RegistrationID
        var lane: LaneID
        /// The lane's credential that it left with.
        var credential: UInt64
        var takenAt: Timestamp
        /// What it left for; the device may have another token by the time of the answer.
        var token: String
        var platform: DevicePlatform
        var queuedAt: Timestamp
        var isResend: Bool
    }

    /// How rows went back to the store.
    struct GivenBack: Sendable {
        var due: Timestamp
        /// The number of the outcome with whose commit they all are there.
        var outcome: UInt64
        /// Whether a provider asked for the wait.
        var isAsked: Bool
    }

    /// A registration with rows in memory, or with rows that were just given back.
    struct Registration: Sendable {
        var lane: LaneID
        /// Whose it is now: rows that came before their consumer was merged into another name the old one.
        var consumer: ConsumerKey
        var token: String
        var platform: DevicePlatform
        /// As of the newest row, or of the device's last registration.
        var traits: DeviceTraits?
        /// The row that leaves next, which waits, or the one that is on its way.
        ///
        /// Only one is on its way at a time, or two connections could show badge 4 and then 3.
        var head: OutboxRow?
        /// Whether ``head`` is on its way.
        var isSending = false
        /// The rows behind it, by class and oldest first; mostly empty, and then without memory of its own.
        var tail: Deque<OutboxRow> = []
        /// When the first of the rows was queued, though it may have left: one that came back may be older than the head.
        var firstQueuedAt: Timestamp
        /// Whether a claim brought rows of it, with what was due for the device then.
        var isClaimed = false
        /// Rows went back to the store; younger ones must follow them until that is committed.
        var givenBack: GivenBack?

        /// Begins with its first row.
        init(_ row: OutboxRow) {
            lane = row.lane
            consumer = row.consumer
            token = row.token
            platform = row.platform
            traits = row.traits
            head = row
            firstQueuedAt = row.queuedAt
        }

        var isIdle: Bool { head == nil && givenBack == nil }

        var rowCount: Int { (head == nil ? 0 : 1) + tail.count }

        /// The rows that are not on their way, in the order in which they leave.
        var waitingRows: [OutboxRow] { (isSending ? [] : head.map { [$0] } ?? []) + tail }

        /// The class of the row that may leave; nil when none may, because one is on its way.
        var readyClass: PushClass? { isSending ? nil : head?.queue.pushClass }

        /// Takes a row in: behind those of its class, before those of later ones.
        mutating func insert(_ row: OutboxRow) {
            guard let head else {
                self.head = row
                return
            }
            let pushClass = row.queue.pushClass
            if !isSending, pushClass < head.queue.pushClass {
                tail.prepend(head)
                self.head = row
                return
            }
            var place = tail.endIndex
            while place > tail.startIndex, tail[place - 1].queue.pushClass > pushClass { place -= 1 }
            tail.insert(row, at: place)
        }
    }

    mutating func add(_ outcome: OutcomeRecord) {
        outcomes.append(outcome)
        outcomesAdded += 1
        if !outcome.mayWait { lastUrgentOutcome = outcomesAdded }
    }

    /// Writes down that an unsent row goes back to the store, perhaps because its device is to be left alone until then.
    mutating func release(_ row: OutboxRow, due: Timestamp, isAsked: Bool = false) {
        add(
            OutcomeRecord(
                delivery: row.id,
                registration: row.registration,
                answer: nil,
                disposition: .release(due: due, isAsked: isAsked),
                token: .none
            )
        )
    }

    /// Rows have left the memory.
    mutating func drop(_ rows: some Collection<OutboxRow>, lane: LaneID) {
        for row in rows {
            lanes[lane]?.rows.remove(row)
            deviceRows.went(row.registration)
        }
    }

    /// Another row of a registration leaves next, or none any more.
    ///
    /// - Parameters:
    ///   - id: The registration.
    ///   - before: The class of the row that might leave before; nil when none might.
    mutating func moveReady(_ id: RegistrationID, from before: PushClass?) {
        guard let registration = registrations[id] else { return }
        let now = registration.readyClass
        guard now != before, let place = lanes.place(of: registration.lane) else { return }
        if let before { lanes[place].ready.remove(id, before) }
        if let now { lanes[place].ready.append(id, now) }
    }

    mutating func forgetIfIdle(_ id: RegistrationID) {
        guard let registration = registrations[id], registration.isIdle else { return }
        registrations[id] = nil
        forget(id, of: registration.consumer)
    }

    /// The consumer of a registration that went, too when it was its last.
    mutating func forget(_ id: RegistrationID, of key: ConsumerKey) {
        guard let place = consumers.index(forKey: key) else { return }
        if consumers.values[place].registrations.count == 1 {
            consumers.remove(at: place)
        } else {
            consumers.values[place].registrations.removeAll { $0 == id }
        }
    }
}
