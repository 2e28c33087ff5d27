import Delivery
package import GatewayModel
import GatewayStorage

/// One run: a schedule, drawn from one seed and on a virtual clock, of everything that can happen to the delivery core.
///
/// Between any two steps the process can die, the wall clock can jump and the store can fail. The state machine is the
/// real one; the store, the providers, the devices and the shell around the state machine are simulated. The same seed
/// gives the same run in every process: nothing is read from outside, and nothing depends on the order of a set.
package struct Simulation {
    /// The brands of every run.
    package static var brands: [BrandID] { SimulatedWorld.brands }
    /// The lanes of every run, numbered from 1 in this order.
    package static var lanes: [LaneKey] { SimulatedWorld.lanes }

    let sabotage: Sabotage?
    let isRecorded: Bool
    let plan: SimulationPlan
    var random: SplitMix64
    var trace: Trace
    var counts = SimulationCounts()
    var storeSteps: [StoreStep] = []

    var store: SimulatedStore
    var checker: Checker
    /// The state machine under test; its callers are numbers.
    var writer: WriterMachine<Int, Int>
    var world: SimulatedWorld
    /// The pushes that providers have in flight, by the lane's index.
    var flights: [[Flight]]
    /// The numbers that the lanes' providers were created with.
    var providers: [UInt64]
    /// The number of credential changes of each lane, by index.
    var credentials: [Int]
    /// Lanes without a credential, or whose app was deleted, by index.
    var closedLanes: Set<Int> = []
    /// Those of them of which the state machine was notified, by index.
    var removedLanes: Set<Int> = []
    /// Lanes whose deletion is stored, but not complete, by index.
    var untold: [Int] = []
    /// The number of times that hours passed without events.
    var longWaits = 0

    /// The current rules of the brand for its lanes.
    var rules: BrandSettings

    /// The open windows.
    var windows: [Window] = []
    /// Brands whose windows hold for their own device only, and those whose windows hold nothing.
    var perDevice: Set<BrandID> = []
    var pushing: Set<BrandID> = []
    /// For each brand, the requests that wait for a turn, and the others' events that were taken since.
    var waitingBrands: [BrandID: (requests: Int, passed: Int)] = [:]
    /// Requests that a sabotage withholds from the state machine.
    var withheld: [IntakePiece] = []
    /// The waiting callers of this process.
    var callers: Set<Int> = []
    var lastCaller = 0
    var commit: PendingCommit?
    /// The delivery whose outcome was rejected, and is retried without the provider's texts.
    var stripped: DeliveryID?
    /// The time at which the writer has its next step, as of the last step that had nothing to do.
    var sleepsUntil: Timestamp?
    /// Whether a commit's result was delivered, after which the writer is asked for its next step at once.
    var asksNext = false
    /// Whether the last turn left proactive pushes in the store because callers waited.
    var yields = false
    /// The time at which a turn last took outcomes.
    var recordsTakenAt: Timestamp?
    /// The time at which a search of memory last found expired rows.
    var searchedAt: Timestamp?
    /// Devices with a sighting that is not stored yet.
    var heard: Set<DeviceSighting> = []
    /// Lanes whose suspension operators were alerted to.
    var reportedSuspended: Set<LaneID> = []
    /// The times at which pushes of the shared quota left.
    var departures: [Timestamp] = []
    /// Whether providers take twice as much as at first.
    var isQuotaRaised = false
    /// The remaining parts of a turn that was rejected.
    var partsLeft = 0
    /// Whether the store failed since the process was stopped.
    var hasFailed = false
    /// The state of the store and the host, as the writer knows it.
    var standing = Standing()

    /// The whole milliseconds that have passed.
    var elapsed: Int64 = 0
    /// The difference between the wall clock and the elapsed time.
    var offset: Int64 = 0
    /// The wall clock.
    var now: Timestamp { Timestamp(milliseconds: SimulatedWorld.start + elapsed + offset) }

    private init(seed: SimulationSeed, sabotage: Sabotage?, isTraced: Bool, isRecorded: Bool) {
        self.sabotage = sabotage
        self.isRecorded = isRecorded
        random = SplitMix64(seed: seed.rawValue)
        trace = Trace(isWritten: isTraced)
        plan = SimulationPlan(&random)
        rules = plan.rules[0]
        world = SimulatedWorld(plan)
        store = SimulatedStore(lanes: SimulatedWorld.lanes)
        store.flaw = sabotage?.flaw
        checker = Checker(
            lanes: SimulatedWorld.lanes.count,
            settings: plan.settings,
            deviceLimit: plan.rules.contains { $0.summaryThreshold != nil }
                ? nil : DeviceLimit(plan.settings.rowsPerDevice),
            pace: plan.pace
        )
        writer = WriterMachine(settings: plan.settings)
        checker.looksAtOrder = sabotage == nil || sabotage?.breaks == .deviceOrder
        if plan.isPerDevice { perDevice = [SimulatedWorld.brands[0]] }
        flights = Array(repeating: [], count: SimulatedWorld.lanes.count)
        providers = Array(repeating: 0, count: SimulatedWorld.lanes.count)
        credentials = Array(repeating: 0, count: SimulatedWorld.lanes.count)
    }

    /// Runs one seed to its end or to the first violation.
    ///
    /// If `isTraced`, what happens is traced, a line each; if `isRecorded`, the calls of the store are recorded.
    package static func run(
        _ seed: SimulationSeed,
        sabotage: Sabotage? = nil,
        isTraced: Bool = false,
        isRecorded: Bool = false
    ) -> SimulationReport {
        var run = Simulation(seed: seed, sabotage: sabotage, isTraced: isTraced, isRecorded: isRecorded)
        run.counts.seeds = 1
        var violation: Violation?
        do throws(Violation) {
            var parts = PartChecks(seed: seed, isDistorted: sabotage == .distortParts)
            try parts.checkAll()
            try run.runAll()
        } catch {
            violation = error
            run.trace.fold(error.description)
            run.trace.note(-1) { "VIOLATION \(error)" }
        }
        run.counts.duplicates = run.checker.duplicates
        return SimulationReport(
            seed: seed,
            digest: run.trace.digest,
            counts: run.counts,
            violation: violation,
            trace: run.trace.lines,
            storeSteps: run.storeSteps,
            deliveries: isRecorded ? run.store.deliveryTexts : []
        )
    }

    private mutating func runAll() throws(Violation) {
        try begin()
        for device in 0..<plan.devices { try ask(world.registration(of: device, &random)) }
        for number in 1...plan.steps {
            pass()
            try happen(plan.next(&random))
            try check(isFull: number % 8 == 0)
        }
        try finish()
    }

    /// Lets time pass: usually a little, sometimes until something is due.
    private mutating func pass() {
        let deadline = sleepsUntil.map { min(max($0.milliseconds - now.milliseconds, 0), 1_200_000) }
        switch random.below(100) {
        case 0..<70: pass(Int64(random.below(20)))
        case 70..<93: pass(Int64(random.below(2_000)))
        case 93..<96: elapsed += deadline ?? 0
        case 96..<99: pass(Int64(random.below(60_000)))
        default: pass(Int64(random.below(1_200_000)))
        }
    }

    /// Lets some milliseconds pass; where time is coarse a few of them become a second, or nothing.
    mutating func pass(_ milliseconds: Int64) {
        let seconds = milliseconds < 20 ? milliseconds / 15 : milliseconds / 1000
        elapsed += plan.isCoarse ? seconds * 1000 : milliseconds
    }

    private mutating func happen(_ event: SimulationPlan.Event) throws(Violation) {
        // Sooner or later an operator restores a damaged file.
        if standing.isDamaged, random.chance(10) { return try crash() }
        if !untold.isEmpty, random.chance(25) { return try deliverDeleted() }
        if !store.leftovers.isEmpty, random.chance(10) { return try removeLeftovers() }
        if untold.isEmpty, let brand = brandWithoutApp, random.chance(4) { return try putApp(of: brand) }
        switch event {
        case .post: try post()
        case .change: try ask()
        case .beginCommit: try step()
        case .applyCommit: try applyCommit()
        case .deliverCommit: try deliverCommit()
        case .take: try takeAny()
        case .respond: try respondToAny()
        case .stick: stickAny()
        case .openWindow: openWindow()
        case .closeWindow: closeWindow()
        case .acknowledge: try acknowledge()
        case .crash: try crash()
        case .drain: try drain()
        case .jump: jump()
        case .removeLane: if let lane = anyLane() { try removeLane(lane) }
        case .resetLane: if let lane = anyLane() { try resetLane(lane) }
        case .changeRules: try changeRules()
        case .changePresence: changePresence()
        case .runHousekeeping: runHousekeeping()
        case .see: try see()
        case .doubtClock: doubtClock()
        case .flood: try flood()
        case .lackRoom: lackRoom()
        case .damage: try damage()
        case .wait: try wait()
        case .delete: try delete()
        case .lookForStale: try lookForStale()
        }
    }

    mutating func check(isFull: Bool) throws(Violation) {
        counts.steps += 1
        trace.fold(now.milliseconds)
        try checker.checkCounters(writer.delivery, store, inTurn: outcomesInTurn)
        try checkBounds()
        try checkRecords()
        guard isFull else { return }
        try checker.checkRows(writer.delivery, store)
        try checkRemoved()
        try checker.checkWindows(
            store,
            writer.presence,
            releasing: releasesInTurn,
            windows: commit?.applied == nil ? windows : nil
        )
        let limited = Set(flights.indices.filter(isLimited))
        try checker.checkWork(writer.delivery, limited: limited, now: now)
        if !writer.isInTurn {
            try checker.checkPlans(writer.delivery, store, now: now, closed: closedLanes, limited: limited)
            try checkSuspensions()
            if looks(at: .quietEnds), !writer.delivery.isRequeuing, !standing.isDraining {
                try checker.checkHeld(writer.delivery.outcomes, rules.quietHours, store, now: now)
            }
        }
        try checkDeadline()
    }

    /// The number of outcomes that left the state machine and are not stored.
    private var outcomesInTurn: Int {
        writer.outcomesInTurn - (commit?.applied == nil ? 0 : commit?.turn.outcomes.count ?? 0)
    }

    private var releasesInTurn: [ConsumerName] {
        guard let commit, commit.applied != nil else { return writer.releasesInTurn }
        return writer.releasesInTurn.filter { !commit.turn.releases.contains($0) }
    }

    /// Lets the state machine work, and checks its decisions.
    mutating func work<Value>(_ work: (inout DeliveryMachine) -> Value) throws(Violation) -> Value {
        let known = writer.delivery.outcomes.count
        let value = work(&writer.delivery)
        let decided = writer.delivery.outcomes[min(known, writer.delivery.outcomes.count)...]
        try checker.decided(decided, now: now, store)
        return value
    }
}
