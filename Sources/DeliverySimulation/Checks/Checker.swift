import Delivery
import DequeModule
import GatewayModel
import GatewayStorage

/// Follows a run from outside, by what goes over the machine's and the store's boundaries, and throws when something
/// does not hold.
struct Checker: Sendable {
    let settings: DeliverySettings
    /// Whether the order of a device's pushes is looked at, which many faults break before their own invariant.
    var looksAtOrder = true
    /// Whether the clock is right as far as anybody knows.
    var mayExpire = true
    /// Whether the wall clock was ever set.
    private(set) var hasJumped = false
    /// Rows that a device may have in memory; nil where brands want summaries.
    let deviceLimit: DeviceLimit?
    var ledger = Ledger()
    var tracked: [Tracked] = []
    /// The store as the machine was told.
    private(set) var told = Told()
    /// Registrations as the last step of the store left them, by their place.
    var registrations: [SimulatedStore.Registration?] = []
    /// Registrations that housekeeping has ended, of which no turn tells the machine; by their place.
    var endedBeside: [Int: SimulatedStore.Registration] = [:]
    /// Deliveries that it has ended so: they may leave until their lane's deletion is answered.
    var rowsEndedBeside: Set<Int64> = []
    /// When devices gave a sign of life last, by their registrations' places.
    var heard: [Int: Timestamp] = [:]
    /// Lanes whose app or brand was deleted.
    var deletedLanes: Set<LaneID> = []
    /// Rows in memory and on their way, by the lane's place.
    private(set) var rows: [Int]
    private(set) var inFlight: [Int]
    /// Rows whose outcome is not stored yet.
    private(set) var decided = 0
    private(set) var duplicates = 0
    /// Until when providers asked for nothing, and until when a refused credential stops a lane, by its place.
    var waits: [LaneWaits]
    /// The delivery on its way, by the registration's place; 0 is none.
    var sending: [Int64] = []
    /// The deliveries that wait in memory or are on their way, by the registration's place.
    private(set) var held: [Set<Int64>] = []
    /// When the first of the rows was queued that are in memory, or were since one was, by the registration's place.
    private(set) var firstQueued: [Timestamp] = []
    /// The class of the row that leaves next of each registration, by its place; nil while none may.
    private(set) var ready: [PushClass?] = []
    /// How often others of the lane left in the class of a registration since it might leave, by its place.
    var passes: [[Int64: Int]] = []
    /// What summaries stood for when they last left.
    private var summaries: [Int64: [Int64]] = [:]
    /// The slowest pace that campaigns always have; nil when sometimes they have none.
    let pace: Int64?
    /// The pushes that campaigns may still send, in thousandths, and since when, by their queues.
    private var paced: [OutboxQueue: (left: Int64, since: Timestamp)] = [:]
    /// What each registration's device shows, by the registration's place.
    var shown: [Shown?] = []
    /// Whether a lane's provider must not be believed that devices are gone, by its place.
    var doubts: [LaneDoubts]
    /// Registrations that were ever put back.
    var restored: Set<RegistrationID> = []
    /// How many pushes have left.
    var pushes = 0
    /// How often queues were served, by those that were due and not served since.
    var passedOver: [LaneQueue: [LaneQueue: Int]] = [:]
    /// Rows that are on their way back to the store because it is quiet, by their numbers.
    var heldRows: [Int64: HeldRow] = [:]
    /// Delays in a row to which nothing was added.
    var unspread = 0

    /// A badge on a device.
    struct Shown: Sendable {
        var badge: Int64
        /// How often its consumer had read when it was made.
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

    /// There is another lane.
    mutating func addLane() {
        waits.append(LaneWaits())
        doubts.append(LaneDoubts())
        rows.append(0)
        inFlight.append(0)
    }

    // MARK: Places

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
        case .ended, .givenBack: decided -= 1
        case .stored, .arriving, .dropped: break
        }
        switch place {
        case .waiting: rows[lane] += 1
        case .inFlight:
            rows[lane] += 1
            inFlight[lane] += 1
            sending[registration] = id
        case .ended, .givenBack: decided += 1
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

    /// How many devices of a lane have a push that may leave; nil while somebody asked to wait, or it is being found out whether
    /// that is over.
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

    /// What waits in memory has not been too late for long when a turn begins, though its lane may send nothing.
    ///
    /// Left alone once the clock was set, since nobody knows how long that is then.
    func checkTime(_ store: SimulatedStore, now: Timestamp) throws(Violation) {
        guard mayExpire, !hasJumped else { return }
        let limit = now.adding(milliseconds: -1000)
        for id in held.joined() where place(id) == .waiting && tracked[Int(id) - 1].arrivedAt <= limit {
            let summary = tracked[Int(id) - 1].toldBy
            if summary > 0, place(summary) == .inFlight { continue }
            try expect(.timeIsKept, store.delivery(id).expiresAt > limit) {
                "delivery \(id) waits since its time was over at \(store.delivery(id).expiresAt.milliseconds)"
            }
        }
    }

    /// An outcome plans no try that could only come too late, and ends nothing that has time left.
    private func checkTime(of outcome: OutcomeRecord, now: Timestamp, _ store: SimulatedStore) throws(Violation) {
        let end = store.delivery(outcome.delivery.rawValue).expiresAt
        switch outcome.disposition {
        case .retry(let due):
            try expect(.timeIsKept, !mayExpire || due < end) { "delivery \(outcome.delivery) is tried after its end" }
        case .finished(.expired, _):
            // The longest wait that is asked for or our own, with a fifth on top; what was not sent waits five seconds.
            let longest = outcome.answer == nil ? 5 : max(400, settings.retryDelaysSeconds.max() ?? 0) * 6 / 5
            try expect(.timeIsKept, end <= now.adding(seconds: longest)) {
                "delivery \(outcome.delivery) ends at \(now.milliseconds), and had time until \(end.milliseconds)"
            }
        default: break
        }
    }

    /// A push leaves in a class: no other of its lane that might leave in that one is passed over a second time.
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

    /// A push left, and stood for others if it is a summary.
    mutating func note(_ others: [Int64], toldBy id: Int64) {
        for other in summaries[id] ?? [] where tracked[Int(other) - 1].toldBy == id {
            // What an earlier try told counts for nothing, but for what ended with it.
            if place(other) != .stored { tracked[Int(other) - 1].toldBy = 0 }
        }
        summaries[id] = others.isEmpty ? nil : others
        tracked[Int(id) - 1].isTaken = false
        for other in others { tracked[Int(other) - 1].toldBy = id }
    }

    /// How often a push was tried before it leaves, or what it stands for that was tried most.
    func tries(of job: PushJob, _ store: SimulatedStore) -> Int {
        let id = job.delivery.rawValue
        return ([id] + (job.summary > 0 ? summaries[id] ?? [] : [])).map { store.delivery($0).attempts }.max() ?? 0
    }

    /// Whether an outcome ends what a summary told.
    func isTold(_ outcome: OutcomeRecord?) -> Bool {
        guard let outcome, case .finished(.suppressed, .collapsed) = outcome.disposition else { return false }
        return tracked[Int(outcome.delivery.rawValue) - 1].toldBy > 0
    }

    // MARK: Starts

    /// A process is gone; with it everything that it knew.
    ///
    /// What a device got and the store does not know of is sent again.
    mutating func ended(_ store: SimulatedStore, isClean: Bool) {
        for id in store.pending {
            let index = Int(id) - 1
            guard tracked[index].receipts > 0, !isClean || tracked[index].place == .dropped else { continue }
            tracked[index].allowed = max(tracked[index].allowed, tracked[index].receipts + 1)
        }
        // Of a summary whose answer nobody will know, nobody knows either what it told.
        for id in summaries.keys where place(id) == .inFlight { note([], toldBy: id) }
        for id in 1..<Int64(tracked.count + 1) where place(id) != .stored {
            // What the provider asked for may not have been written down.
            if place(id) != .waiting { tracked[Int(id) - 1].notBefore = nil }
            move(id, to: .stored)
        }
        waits = waits.map { _ in LaneWaits() }
        paced = [:]
        (passedOver, heldRows) = ([:], [:])
        // What it had not written down nobody knows.
        for id in summaries.keys { tracked[Int(id) - 1].isTaken = false }
    }

    mutating func started(_ store: SimulatedStore) {
        forgetStops()
        // What it could not store any more a start finds by itself, but not when some were registered again.
        for place in doubts.indices where !store.suspended.contains(LaneID(Int64(place) + 1)) {
            doubts[place].isDoubted = false
        }
        (endedBeside, rowsEndedBeside) = ([:], [])
        told = snapshot(store)
    }

    /// What a summary stood for does not wait any more once it is on disk that its provider took it.
    ///
    /// - Parameters:
    ///   - turn: A turn that is on disk as a whole; one that was done part by part may be cut off by a crash.
    ///   - store: The store.
    /// - Throws: ``Violation`` when it does.
    func checkSummed(_ turn: WriterTurn, _ store: SimulatedStore) throws(Violation) {
        for outcome in turn.outcomes {
            let id = outcome.delivery.rawValue
            guard tracked[Int(id) - 1].isTaken, let others = summaries[id] else { continue }
            for other in others where store.isPending(other) && place(other) != .dropped {
                try expect(.summaryStands, tracked[Int(other) - 1].toldBy != id) {
                    "delivery \(other) was told by \(id), which its provider took, and waits still"
                }
            }
        }
    }

    private func snapshot(_ store: SimulatedStore) -> Told {
        var told = Told(
            unread: ledger.unread,
            reads: ledger.reads,
            marks: ledger.marks,
            quietHours: store.consumers.map(\.quietHours),
            erased: ledger.erased,
            registrations: store.registrations
        )
        for (place, registration) in endedBeside { told.registrations[place] = registration }
        return told
    }

    // MARK: Commits

    /// A commit is on disk; nobody has been told.
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
                    "delivery \(id) is accepted in the log, and no provider took it"
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
        var applied = AppliedTurn(withdrawn: store.withdrawn, told: snapshot(store))
        for row in result.owned { applied.arriving.append(row.id.rawValue) }
        for claim in result.claims { for row in claim.rows { applied.arriving.append(row.id.rawValue) } }
        for id in applied.arriving {
            move(id, to: .arriving)
            // What was due when its turn began may leave, also when the clock is set back meanwhile.
            if let until = tracked[Int(id) - 1].notBefore, until <= turn.now { tracked[Int(id) - 1].notBefore = nil }
        }
        return applied
    }

    /// The wall clock was set: nobody knows how much time has passed, or will seem to.
    mutating func clockJumped() {
        paced = [:]
        forgetStops()
        hasJumped = true
    }

    /// A campaign lets out what its pace brings, and once what 40 ms do, at least one push.
    private mutating func checkPace(of turn: WriterTurn, _ result: WriterTurnResult, now: Timestamp) throws(Violation) {
        guard let pace else { return }
        var counts: [OutboxQueue: Int64] = [:]
        for row in result.owned + result.claims.flatMap(\.rows) where row.queue.isCampaign {
            counts[row.queue, default: 0] += 1
        }
        for (queue, count) in counts {
            let full = max(pace * 40, 1000)
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

    /// The machine has taken in what a commit did.
    mutating func answered(
        _ applied: AppliedTurn,
        _ machine: DeliveryMachine,
        _ store: SimulatedStore,
        now: Timestamp
    ) throws(Violation) {
        told = applied.told
        // What the same turn tries again has not ended.
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

    /// What forbids that a row leaves that ended without an answer.
    func invariant(of row: SimulatedStore.Delivery) -> Invariant {
        switch row.suppressedBy {
        case _ where ledger.erased.contains(Int(row.consumer) - 1): .erasedIsGone
        case .read, .windowOpen: .nothingRead
        case .collapsed: .nothingCollapsed
        default: .nothingAfterEnd
        }
    }

    // MARK: Outcomes

    /// Outcomes that the machine has added.
    mutating func decided(
        _ outcomes: some Sequence<OutcomeRecord>,
        now: Timestamp,
        _ store: SimulatedStore
    ) throws(Violation) {
        for outcome in outcomes {
            let id = outcome.delivery.rawValue
            let isHeld = place(id) == .waiting || place(id) == .inFlight
            try expect(.countersAgree, isHeld) { "an outcome of delivery \(id), which it does not hold" }
            if case .finished(let state, let suppressedBy) = outcome.disposition {
                try expect(.doubtIsKept, mayExpire || state != .expired && suppressedBy != .quietHours) {
                    "delivery \(id) ends by a clock that may be wrong"
                }
            }
            try checkTime(of: outcome, now: now, store)
            if case .finished(.suppressed, .collapsed) = outcome.disposition {
                let summary = tracked[Int(id) - 1].toldBy
                let isTold = summary > 0 && tracked[Int(summary) - 1].isTaken
                try expect(.summaryStands, isTold) { "delivery \(id) ends for summary \(summary), which nobody took" }
            }
            if case .finished(.accepted, _) = outcome.disposition { tracked[Int(id) - 1].isTaken = true }
            if case .finished = outcome.disposition { move(id, to: .ended) } else { move(id, to: .givenBack) }
        }
    }

    /// An outcome could not be stored.
    mutating func dropped(_ outcome: OutcomeRecord) { move(outcome.delivery.rawValue, to: .dropped) }

    // MARK: Devices

    /// A push arrived at its device.
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

    /// Nobody will know whether a push arrived: it may come again.
    mutating func unknown(_ id: Int64) {
        let index = Int(id) - 1
        tracked[index].allowed = max(tracked[index].allowed, tracked[index].receipts + 1)
    }
}
