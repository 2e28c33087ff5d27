package import DequeModule
package import GatewayModel
package import GatewayStorage
import PushProviders

/// Decides which pushes are sent, when, and what follows from their results: a state machine as a value type, without a
/// clock, IO or actors (Architecture page, the delivery state machine).
///
/// The shell calls it from one task at a time, in this order: ``beginTurn(now:)`` before each commit,
/// ``turnCommitted(_:of:now:)`` with the commit's result; and at any time between them
/// ``take(_:provider:capacity:now:into:)`` when a provider has capacity and ``receive(_:now:)`` when it has results.
/// Everything that must be stored is collected in ``outcomes``.
///
/// Its contents are a cache of the durable outbox: the rows that this incarnation owns, at most
/// ``DeliverySettings/slotsPerLane`` for each lane. For each registration these are older than every row of it that
/// nobody owns; this keeps a device's pushes in order. Only rows that return with their old ids, because they are tried
/// again or their messaging window closed, may be older: they leave behind the rows that are in memory then, and before
/// later ones.
package struct DeliveryMachine: Sendable {
    /// The settings.
    package let settings: DeliverySettings
    /// The outcomes of rows that are not stored yet, oldest first.
    package internal(set) var outcomes: Deque<OutcomeRecord> = []
    /// Each lane that has ever had a row, by its id.
    package internal(set) var lanes = LaneTable()

    /// Alerts about lanes that operators have not received yet, in order.
    package internal(set) var alerts: [(lane: LaneID, alert: LaneAlert)] = []

    var registrations: [RegistrationID: Registration] = [:]
    var consumers: [ConsumerKey: Consumer] = [:]
    var inFlight: [DeliveryID: InFlight] = [:]
    /// The number of outcomes that were ever added, and how many of them are committed: the n-th outcome is on disk
    /// when `outcomesCommitted` has reached n.
    var outcomesAdded: UInt64 = 0
    var outcomesCommitted: UInt64 = 0
    /// The number of the last outcome that should be stored at once.
    var lastUrgentOutcome: UInt64 = 0
    /// The time at which a turn last took outcomes; nil when none has.
    var outcomesTakenAt: Timestamp?
    /// The summaries in flight; the rows that they stand for wait in memory for the result.
    var summaries: [RegistrationID: Summary] = [:]
    /// Registrations with ``Registration/requeuedRows``.
    var requeuedRows: Set<RegistrationID> = []
    /// The number of rows that devices have in memory, and the devices with more in the store.
    var deviceRows = DeviceRows()
    /// The rules of brands for their lanes; a lane that is absent has none.
    var rules: [LaneID: LaneRules] = [:]
    /// A cache of quiet spans.
    var quietSpans: [QuietKey: QuietSpan] = [:]
    /// Lanes whose rows in the store become due at once, and the outcome that must be committed before all of them are
    /// there.
    var requeues: [LaneID: UInt64] = [:]
    /// The pushes of lanes whose brand has an objective.
    var objectives: [LaneID: ObjectiveCounts] = [:]
    /// For campaigns with a pace, the pushes that may leave, by queue; one that is absent starts with a full bucket.
    var paces: [OutboxQueue: PushPace] = [:]
    /// A token bucket for each quota of a lane; lanes with the same quota share one.
    var quotas: [PushQuota: QuotaBucket] = [:]
    /// Lanes with stopped devices, and those whose provider is not believed.
    var guarded: Set<LaneID> = []
    var isDraining = false
    /// Whether rows expire; not while the clock may be wrong.
    package var mayExpire = true
    /// For each class, the queue that claimed last.
    var lastClaims: [PushClass: LaneQueue] = [:]
    /// No waiting row in memory expires before this moment; nil when there is none.
    var firstExpiry: Timestamp?
    /// The time at which memory was last searched for expired rows.
    var lastExpiry: Timestamp?

    /// Creates a state machine with nothing in memory; `backlog` has the due time of the first row in each queue in the
    /// store.
    package init(settings: DeliverySettings, backlog: [LaneQueue: Timestamp]) {
        self.settings = settings
        for (place, due) in backlog {
            addLane(place.lane)
            lanes[place.lane]?.backlog[place.queue] = due
        }
    }

    /// Creates a state machine with nothing in memory that continues after an earlier process.
    package init(settings: DeliverySettings, start: IncarnationStart) {
        self.init(settings: settings, backlog: start.backlog)
        for (id, found) in start.stopped { takeStopped(found, of: id, now: start.now) }
    }

    /// The number of rows in memory.
    package var rowCount: Int { lanes.busyLanes.reduce(0) { $0 + $1.lane.rows.total } }

    /// The number of pushes in flight.
    package var inFlightCount: Int { inFlight.count }

    /// A consumer with rows in memory.
    struct Consumer: Sendable {
        /// The unread count as of the last commit.
        var unread: Int64
        /// Its registrations that are in memory: a consumer has few.
        var registrations: [RegistrationID] = []
    }

    /// A delivery in flight.
    struct InFlight: Sendable {
        var registration: RegistrationID
        var lane: LaneID
        /// The number of the lane's credential that it was sent with.
        var credential: UInt64
        var takenAt: Timestamp
        /// The token that it was sent to; the device may have another by the time of the result.
        var token: String
        var platform: DevicePlatform
        var queuedAt: Timestamp
        var isResend: Bool
        /// Whether its device was imported and no push to it was accepted yet.
        var isImported: Bool
        /// The time within which it is to be accepted, in seconds; nil when it does not count for an objective.
        var objectiveSeconds: Int64?
    }

    /// The requeueing of a registration's rows.
    struct RequeuedRows: Sendable {
        var due: Timestamp
        /// The number of the outcome whose commit has stored all of them.
        var outcome: UInt64
        /// Whether a provider asked for the wait.
        var isAsked: Bool
    }

    /// A registration with rows in memory, or with rows that were just requeued.
    struct Registration: Sendable {
        var lane: LaneID
        /// The consumer that it belongs to now: rows from before its consumer was merged into another name the old one.
        var consumer: ConsumerKey
        var token: String
        var platform: DevicePlatform
        /// The traits from the newest row, or from the device's last registration.
        var traits: DeviceTraits?
        /// Whether it receives agents' messages, from the newest row or from the device's last change.
        var receivesAgents: Bool
        /// The waiting row that leaves next, or the one in flight.
        ///
        /// Only one is in flight at a time, or two connections could show badge 4 and then 3.
        var head: OutboxRow?
        /// Whether ``head`` is in flight.
        var isSending = false
        /// The rows behind it, by class and oldest first; usually empty, and then without a memory allocation.
        var tail: Deque<OutboxRow> = []
        /// The time at which the first of the rows was queued, even if it has left; a row that came back may be older
        /// than the head.
        var firstQueuedAt: Timestamp
        /// Whether a claim brought rows of it, with all that was due for the device then.
        var isClaimed = false
        /// Set when rows were requeued; younger ones must follow them until that is committed.
        var requeuedRows: RequeuedRows?

        /// Creates a registration with its first row.
        init(_ row: OutboxRow) {
            lane = row.lane
            consumer = row.consumer
            token = row.token
            platform = row.platform
            traits = row.traits
            receivesAgents = row.receivesAgents
            head = row
            firstQueuedAt = row.queuedAt
        }

        var isIdle: Bool { head == nil && requeuedRows == nil }

        var rowCount: Int { (head == nil ? 0 : 1) + tail.count }

        /// The rows that are not in flight, in the order in which they leave.
        var waitingRows: [OutboxRow] { (isSending ? [] : head.map { [$0] } ?? []) + tail }

        /// The class of the row that may leave; nil when none may, because one is in flight.
        var readyClass: PushClass? { isSending ? nil : head?.queue.pushClass }

        /// Inserts a row behind those of its class and before those of later ones.
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

    /// Requeues an unsent row, possibly because a provider asked to leave its device alone until then.
    mutating func release(_ row: OutboxRow, due: Timestamp, isAsked: Bool = false) {
        add(
            OutcomeRecord(
                delivery: row.id,
                registration: row.registration,
                response: nil,
                disposition: .release(due: due, isAsked: isAsked),
                token: .none
            )
        )
    }

    /// Removes rows that have left memory from the counts.
    mutating func drop(_ rows: some Collection<OutboxRow>, lane: LaneID) {
        for row in rows {
            lanes[lane]?.rows.remove(row)
            deviceRows.removed(row.registration)
        }
    }

    /// Updates the ready queue after another row of a registration, or none, leaves next; `before` is nil when none
    /// could before.
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

    /// Forgets a registration without rows, and its consumer when it was the last one.
    mutating func forget(_ id: RegistrationID, of key: ConsumerKey) {
        guard let place = consumers.index(forKey: key) else { return }
        if consumers.values[place].registrations.count == 1 {
            consumers.remove(at: place)
        } else {
            consumers.values[place].registrations.removeAll { $0 == id }
        }
    }
}
