import Delivery
import DequeModule
import GatewayModel
import GatewayStorage

/// Follows a run from outside, by the calls that cross the boundaries of the state machine and the store, and throws
/// when an invariant does not hold.
struct Checker: Sendable {
    let settings: DeliverySettings
    /// Whether the order of a device's pushes is checked, which many sabotages break before their own invariant.
    var looksAtOrder = true
    /// Whether the clock is right as far as is known.
    var mayExpire = true
    /// Whether the wall clock was ever set.
    private(set) var hasJumped = false
    /// The limit of a device's rows in memory; nil where brands want summaries.
    let deviceLimit: DeviceLimit?
    var ledger = Ledger()
    var tracked: [Tracked] = []
    /// The store as the state machine knows it.
    private(set) var delivered = DeliveredState()
    /// Registrations as the last step of the store left them, by index.
    var registrations: [SimulatedStore.Registration?] = []
    /// Registrations that housekeeping has ended, about which no turn notifies the state machine; by index.
    var endedBeside: [Int: SimulatedStore.Registration] = [:]
    /// Deliveries that it has ended in that way: they may leave until their lane's deletion is complete.
    var rowsEndedBeside: Set<Int64> = []
    /// The last sightings of devices, by their registrations' indexes.
    var heard: [Int: Timestamp] = [:]
    /// Lanes whose app or brand was deleted.
    var deletedLanes: Set<LaneID> = []
    /// Rows in memory and in flight, by the lane's index.
    private(set) var rows: [Int]
    private(set) var inFlight: [Int]
    /// Rows whose outcome is not stored yet.
    private(set) var decided = 0
    private(set) var duplicates = 0
    /// The waits that providers asked for and those of rejected credentials, by the lane's index.
    var waits: [LaneWaits]
    /// The delivery in flight, by the registration's index; 0 is none.
    var sending: [Int64] = []
    /// The deliveries in memory or in flight, by the registration's index.
    private(set) var held: [Set<Int64>] = []
    /// The time at which the first of the rows in memory was queued, since there were any, by the registration's index.
    private(set) var firstQueued: [Timestamp] = []
    /// The class of the next row of each registration, by index; nil while none may leave.
    private(set) var ready: [PushClass?] = []
    /// The number of other pushes of the lane that left in a registration's class since it could leave, by index.
    var passes: [[Int64: Int]] = []
    /// The messages that each summary stood for when it last left.
    private var summaries: [Int64: [Int64]] = [:]
    /// The slowest pace of campaigns; nil when they sometimes have none.
    let pace: Int64?
    /// The pushes that campaigns may still send, in thousandths, and the time of that count, by queue.
    private var paced: [OutboxQueue: (left: Int64, since: Timestamp)] = [:]
    /// The time of the last turn of this process that claimed rows of a queue.
    var claimedAt: [OutboxQueue: Timestamp] = [:]
    /// The badge that each registration's device shows, by the registration's index.
    var shown: [Shown?] = []
    /// Whether a lane's provider must not be believed that devices are gone, by the lane's index.
    var doubts: [LaneDoubts]
    /// Registrations that were ever put back.
    var restored: Set<RegistrationID> = []
    /// The number of pushes that have left.
    var pushes = 0
    /// How often queues were served, by the queues that were due and not served since.
    var passedOver: [LaneQueue: [LaneQueue: Int]] = [:]
    /// Rows that are being requeued because of quiet hours, by their ids.
    var heldRows: [Int64: HeldRow] = [:]
    /// The delays in a row without any addition.
    var unspread = 0

    /// A badge on a device.
    struct Shown: Sendable {
        var badge: Int64
        /// The number of its consumer's reads when it was made.
        var reads: Int
    }

    init(lanes: Int, settings: DeliverySettings, deviceLimit: DeviceLimit?, pace: Int64?) {
        self.pace = pace
        self.settings = settings
        self.deviceLimit = deviceLimit
        waits = Array(repeating: LaneWaits(), count: lanes)
        doubts = Array(repeating: LaneDoubts(), count: lanes)
        rows = Array(repeating: 0, count: lanes)
        inFlight = Array(repeating: 0, count: lanes)
    }

    /// Adds a lane.
    mutating func addLane() {
        waits.append(LaneWaits())
        doubts.append(LaneDoubts())
        rows.append(0)
        inFlight.append(0)
    }

    // MARK: Indexes

    func place(_ id: Int64) -> Tracked.Place { tracked[Int(id) - 1].place }

    mutating func move(_ id: Int64, to place: Tracked.Place) {
        let index = Int(id) - 1
        let lane = tracked[index].lane
        let registration = Int(tracked[index].registration) - 1
        held[registration].remove(id)
        switch tracked[index].place {
        case .waiting: rows[lane] -= 1
        case .inFlight:
            rows[lane] -= 1
            inFlight[lane] -= 1
            if sending[registration] == id { sending[registration] = 0 }
        case .ended, .requeued: decided -= 1
        case .stored, .arriving, .dropped: break
        }
        switch place {
        case .waiting: rows[lane] += 1
        case .inFlight:
            rows[lane] += 1
            inFlight[lane] += 1
            sending[registration] = id
        case .ended, .requeued: decided += 1
        case .stored, .arriving, .dropped: break
        }
        if place == .waiting || place == .inFlight { held[registration].insert(id) }
        tracked[index].place = place
        let next = sending[registration] == 0 ? held[registration].map { tracked[Int($0) - 1].pushClass }.min() : nil
        if next != ready[registration] {
            ready[registration] = next
            passes[registration] = [:]
        }
    }

    /// Returns the number of a lane's devices with a push that may leave; nil while a wait or a probe stops the lane.
    func readyCount(_ lane: Int, now: Timestamp, _ store: SimulatedStore) -> Int? {
        let wait = waits[lane]
        guard !hasJumped, wait.asked == nil, wait.stopped == nil, wait.breaker == Breaker(), wait.pause.until == nil,
            wait.platforms.isEmpty
        else { return nil }
        return ready.indices.count { place in
            ready[place] != nil
                && held[place].contains {
                    tracked[Int($0) - 1].lane == lane && (store.delivery($0).expiresAt > now || !mayExpire)
                }
        }
    }

    /// Checks that rows in memory did not expire long before a turn begins, even if their lane may send nothing.
    ///
    /// Skipped once the clock was set, since the duration is not known then.
    func checkTime(_ store: SimulatedStore, now: Timestamp) throws(Violation) {
        guard mayExpire, !hasJumped else { return }
        let limit = now.adding(milliseconds: -1000)
        for id in held.joined() where place(id) == .waiting && tracked[Int(id) - 1].arrivedAt <= limit {
            let summary = tracked[Int(id) - 1].summarizedBy
            if summary > 0, place(summary) == .inFlight { continue }
            try expect(.timeIsKept, store.delivery(id).expiresAt > limit) {
                "delivery \(id) waits although it expired at \(store.delivery(id).expiresAt.milliseconds)"
            }
        }
    }

    /// Checks that an outcome plans no attempt that could only come too late, and expires nothing that still has time.
    private func checkTime(of outcome: OutcomeRecord, now: Timestamp, _ store: SimulatedStore) throws(Violation) {
        let end = store.delivery(outcome.delivery.rawValue).expiresAt
        switch outcome.disposition {
        case .retry(let due):
            try expect(.timeIsKept, !mayExpire || due < end) { "delivery \(outcome.delivery) is retried too late" }
        case .finished(.expired, _):
            // The longest wait that a provider asks for or our own, plus a fifth; a push that was not sent waits five
            // seconds.
            let longest = outcome.response == nil ? 5 : max(400, settings.retryDelaysSeconds.max() ?? 0) * 6 / 5
            // A wait that began before the clock was set back lasts longer.
            try expect(.timeIsKept, hasJumped || end <= now.adding(seconds: longest)) {
                "delivery \(outcome.delivery) ends at \(now.milliseconds), and had time until \(end.milliseconds)"
            }
        default: break
        }
    }

    /// Checks the order of a class: no other device of the lane that could leave in it is passed over a second time.
    mutating func checkTurn(_ id: Int64) throws(Violation) {
        let row = tracked[Int(id) - 1]
        for (place, next) in ready.enumerated() where next == row.pushClass && Int64(place) + 1 != row.registration {
            guard let first = held[place].first, tracked[Int(first) - 1].lane == row.lane else { continue }
            let count = passes[place][row.registration, default: 0] + 1
            passes[place][row.registration] = count
            try expect(.devicesTakeTurns, count < 2) {
                "delivery \(id) is the second of registration \(row.registration) that leaves before registration \(place + 1)"
            }
        }
    }

    /// Records a push that left, and the messages that it stands for.
    mutating func note(_ others: [Int64], summarizedBy id: Int64) {
        for other in summaries[id] ?? [] where tracked[Int(other) - 1].summarizedBy == id {
            // What an earlier attempt stood for no longer counts, except for what ended with it.
            if place(other) != .stored { tracked[Int(other) - 1].summarizedBy = 0 }
        }
        summaries[id] = others.isEmpty ? nil : others
        tracked[Int(id) - 1].isTaken = false
        for other in others { tracked[Int(other) - 1].summarizedBy = id }
    }

    /// Returns the number of earlier attempts of a push, or of the most tried message that it stands for.
    func tries(of job: PushJob, _ store: SimulatedStore) -> Int {
        let id = job.delivery.rawValue
        return ([id] + (job.summary > 0 ? summaries[id] ?? [] : [])).map { store.delivery($0).attempts }.max() ?? 0
    }

    /// Returns whether an outcome ends a row that a summary stands for.
    func isSummarized(_ outcome: OutcomeRecord?) -> Bool {
        guard let outcome, case .finished(.suppressed, .collapsed) = outcome.disposition else { return false }
        return tracked[Int(outcome.delivery.rawValue) - 1].summarizedBy > 0
    }

    // MARK: Starts

    /// Handles the end of a process, with everything that it knew.
    ///
    /// A push that a device received, without a record in the store, is sent again.
    mutating func ended(_ store: SimulatedStore, isClean: Bool) {
        for id in store.pending {
            let index = Int(id) - 1
            guard tracked[index].receipts > 0, !isClean || tracked[index].place == .dropped else { continue }
            tracked[index].allowed = max(tracked[index].allowed, tracked[index].receipts + 1)
        }
        // The result of such a summary will never be known, and so neither will the messages that it stood for.
        for id in summaries.keys where place(id) == .inFlight { note([], summarizedBy: id) }
        for id in 1..<Int64(tracked.count + 1) where place(id) != .stored {
            // The time that the provider asked for may not have been stored.
            if place(id) != .waiting { tracked[Int(id) - 1].notBefore = nil }
            move(id, to: .stored)
        }
        waits = waits.map { _ in LaneWaits() }
        paced = [:]
        (passedOver, heldRows, claimedAt) = ([:], [:], [:])
        // What the process had not stored is lost.
        for id in summaries.keys { tracked[Int(id) - 1].isTaken = false }
    }

    mutating func started(_ store: SimulatedStore) {
        forgetStops()
        // A start detects suspensions that could not be stored, but not when some devices were registered again.
        for place in doubts.indices where !store.suspended.contains(LaneID(Int64(place) + 1)) {
            doubts[place].isDoubted = false
        }
        (endedBeside, rowsEndedBeside) = ([:], [])
        delivered = snapshot(store)
    }

    /// Checks that rows which a summary stood for do not wait any more once the summary's acceptance is on disk.
    ///
    /// The turn is on disk as a whole; one that was committed in parts may be cut off by a crash.
    func checkSummed(_ turn: WriterTurn, _ store: SimulatedStore) throws(Violation) {
        for outcome in turn.outcomes {
            let id = outcome.delivery.rawValue
            guard tracked[Int(id) - 1].isTaken, let others = summaries[id] else { continue }
            for other in others where store.isPending(other) && place(other) != .dropped {
                try expect(.summaryStands, tracked[Int(other) - 1].summarizedBy != id) {
                    "delivery \(other) is part of summary \(id), which its provider accepted, and still waits"
                }
            }
        }
    }

    private func snapshot(_ store: SimulatedStore) -> DeliveredState {
        var delivered = DeliveredState(
            unread: ledger.unread,
            reads: ledger.reads,
            marks: ledger.marks,
            quietHours: store.consumers.map(\.quietHours),
            erased: ledger.erased,
            registrations: store.registrations
        )
        for (place, registration) in endedBeside { delivered.registrations[place] = registration }
        return delivered
    }

    // MARK: Commits

    /// Checks a commit that is on disk, before its result is delivered.
    mutating func applied(
        _ turn: WriterTurn,
        _ result: WriterTurnResult,
        _ store: SimulatedStore,
        now: Timestamp
    ) throws(Violation) -> AppliedTurn {
        let known = tracked.count
        while tracked.count < store.deliveries.count {
            let row = store.deliveries[tracked.count]
            tracked.append(
                Tracked(
                    pushClass: row.queue.pushClass,
                    lane: Int(row.lane.rawValue) - 1,
                    registration: row.registration
                )
            )
        }
        while sending.count < store.registrations.count {
            sending.append(0)
            held.append([])
            shown.append(nil)
            ready.append(nil)
            firstQueued.append(now)
            passes.append([:])
        }
        for outcome in turn.outcomes {
            let id = outcome.delivery.rawValue
            move(id, to: .stored)
            if store.delivery(id).state == .accepted {
                try expect(.acceptedWasTaken, tracked[Int(id) - 1].receipts > 0) {
                    "delivery \(id) is accepted in the delivery log, and no provider accepted it"
                }
            }
        }
        let reads = ledger.reads
        try ledger.follow(turn, result, store)
        try checkBadges(turn, since: reads, after: known, store)
        try checkClaims(result, store)
        for place in known..<tracked.count {
            tracked[place].message = store.deliveries[place].message.flatMap { ledger.places[$0.id.high] }
        }
        try checkPace(of: turn, result, now: now)
        try checkInvalidations(of: turn, result, store)
        try checkEnds(of: turn, result, store)
        try checkErased(store)
        followRetries(of: turn, result, store)
        var applied = AppliedTurn(withdrawn: store.withdrawn, delivered: snapshot(store))
        for row in result.owned + result.claims.flatMap(\.rows) {
            applied.arriving.append(row.id.rawValue)
            tracked[Int(row.id.rawValue) - 1].isImported = row.isImported
        }
        for id in applied.arriving {
            move(id, to: .arriving)
            noteOvertaken(id, store)
            // What was due when its turn began may leave, even if the clock is set back meanwhile.
            if let until = tracked[Int(id) - 1].notBefore, until <= turn.now { tracked[Int(id) - 1].notBefore = nil }
        }
        return applied
    }

    /// Notes that the wall clock was set: the time that has passed, or will seem to pass, is not known.
    mutating func clockJumped() {
        paced = [:]
        forgetStops()
        hasJumped = true
    }

    /// Returns the pushes that a campaign may save up, in thousandths: those of 80 ms, at least one.
    static func savings(perSecond: Int64) -> Int64 { max(perSecond * 80, 1000) }

    /// Checks that a campaign sends what its pace allows, plus once what it may save up.
    private mutating func checkPace(of turn: WriterTurn, _ result: WriterTurnResult, now: Timestamp) throws(Violation) {
        guard let pace else { return }
        var counts: [OutboxQueue: Int64] = [:]
        for row in result.owned + result.claims.flatMap(\.rows) where row.queue.isCampaign {
            counts[row.queue, default: 0] += 1
        }
        for (queue, count) in counts {
            let full = Self.savings(perSecond: pace)
            var known = paced[queue] ?? (full, turn.now)
            if turn.now < known.since { known = (full, turn.now) }
            let passed = turn.now.milliseconds - known.since.milliseconds
            let left = min(known.left + min(passed, 1_000_000) * pace, full) - count * 1000
            try expect(.paceIsKept, left >= 0) {
                "campaign \(queue.rawValue) lets out \(count) pushes, \(-left) thousandths too many"
            }
            // A turn may have begun before the clock was set back.
            paced[queue] = (left, min(turn.now, now))
        }
    }

    /// Checks the state machine after it has taken the result of a commit.
    mutating func commitDelivered(
        _ applied: AppliedTurn,
        _ machine: DeliveryMachine,
        _ store: SimulatedStore,
        now: Timestamp
    ) throws(Violation) {
        delivered = applied.delivered
        // What the same turn retries has not ended.
        for id in applied.withdrawn where !store.isPending(id) {
            tracked[Int(id) - 1].isGone = true
            guard place(id) == .waiting else { continue }
            let row = store.delivery(id)
            let isKept = machine.isWaiting(DeliveryID(id), of: RegistrationID(row.registration))
            try expect(invariant(of: row), !isKept) { "delivery \(id) ended and still waits in memory" }
            move(id, to: .stored)
        }
        for id in applied.arriving {
            let (place, queuedAt) = (Int(tracked[Int(id) - 1].registration) - 1, store.delivery(id).queuedAt)
            firstQueued[place] = held[place].isEmpty ? queuedAt : min(firstQueued[place], queuedAt)
            move(id, to: .waiting)
            tracked[Int(id) - 1].arrivedAt = now
        }
    }

    /// Returns the invariant that forbids a row to leave that was withdrawn.
    func invariant(of row: SimulatedStore.Delivery) -> Invariant {
        switch row.suppressedBy {
        case _ where ledger.erased.contains(Int(row.consumer) - 1): .erasedIsGone
        case .read, .windowOpen: .nothingRead
        case .collapsed: .nothingCollapsed
        default: .nothingAfterEnd
        }
    }

    // MARK: Outcomes

    /// Checks outcomes that the state machine has added.
    mutating func decided(
        _ outcomes: some Sequence<OutcomeRecord>,
        now: Timestamp,
        _ store: SimulatedStore
    ) throws(Violation) {
        for outcome in outcomes {
            let id = outcome.delivery.rawValue
            let isHeld = place(id) == .waiting || place(id) == .inFlight
            try expect(.countersAgree, isHeld) { "there is an outcome of delivery \(id), which is not in memory" }
            if case .finished(let state, let suppressedBy) = outcome.disposition {
                try expect(.doubtIsKept, mayExpire || state != .expired && suppressedBy != .quietHours) {
                    "delivery \(id) expires by a clock that may be wrong"
                }
            }
            try checkTime(of: outcome, now: now, store)
            if case .finished(.suppressed, .collapsed) = outcome.disposition {
                let summary = tracked[Int(id) - 1].summarizedBy
                let isSummarized = summary > 0 && tracked[Int(summary) - 1].isTaken
                try expect(.summaryStands, isSummarized) {
                    "delivery \(id) ends with summary \(summary), never accepted"
                }
            }
            if case .finished(.accepted, _) = outcome.disposition { tracked[Int(id) - 1].isTaken = true }
            if case .finished = outcome.disposition { move(id, to: .ended) } else { move(id, to: .requeued) }
        }
    }

    /// Notes that an outcome could not be stored.
    mutating func dropped(_ outcome: OutcomeRecord) { move(outcome.delivery.rawValue, to: .dropped) }

    // MARK: Devices

    /// Checks a push that arrived at its device.
    mutating func arrived(_ flight: Flight, badge: Int64?, _ store: SimulatedStore) throws(Violation) {
        let id = flight.job.delivery.rawValue
        let index = Int(id) - 1
        tracked[index].receipts += 1
        if tracked[index].receipts > 1 { duplicates += 1 }
        try expect(.duplicatesExplained, tracked[index].receipts <= tracked[index].allowed) {
            "delivery \(id) arrived \(tracked[index].receipts) times, and \(tracked[index].allowed) can be explained"
        }
        guard let badge else { return }
        let registration = Int(flight.job.registration.rawValue) - 1
        if let last = shown[registration], badge < last.badge {
            try expect(.badgeNeverFalls, flight.reads > last.reads) {
                "registration \(registration + 1) showed \(last.badge), then \(badge), with no read between"
            }
        }
        shown[registration] = Shown(badge: badge, reads: flight.reads)
    }

    /// Notes that it will never be known whether a push arrived: it may come again.
    mutating func unknown(_ id: Int64) {
        let index = Int(id) - 1
        tracked[index].allowed = max(tracked[index].allowed, tracked[index].receipts + 1)
    }
}
