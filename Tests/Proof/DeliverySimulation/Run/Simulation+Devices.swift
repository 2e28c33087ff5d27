import Delivery
import GatewayModel
import GatewayStorage

/// Devices' receipts and taps, operators' retries, and work outside of the state machine.
extension Simulation {
    /// Returns the receipt or the tap of a device that got a push.
    func word(_ random: inout SplitMix64) -> StoreChange? {
        let came = checker.tracked.indices.filter {
            checker.tracked[$0].receipts > 0 && store.deliveries[$0].message != nil
        }
        guard !came.isEmpty else { return nil }
        let row = store.deliveries[came[random.below(came.count)]]
        guard let message = row.message else { return nil }
        if random.chance(50) {
            let states = DeviceReceipt.State.allCases
            let receipt = DeviceReceipt(
                message: message.id,
                device: row.device,
                state: states[random.below(states.count)],
                at: now
            )
            return .receipts(brand: message.brand, consumer: message.consumer, [receipt])
        }
        var tap = TapRequest(
            brand: message.brand,
            consumer: message.consumer,
            message: message.id,
            device: row.device,
            tappedAt: now.adding(seconds: -Int64(random.below(10))),
            action: nil
        )
        tap.clearsOthers = random.chance(70)
        return .tap(tap)
    }

    /// Returns an operator's retry of a delivery, usually of one that can be retried.
    func retry(_ random: inout SplitMix64) -> StoreChange? {
        let ended = store.deliveries.indices.filter { [.failed, .expired].contains(store.deliveries[$0].state) }
        let all = ended.isEmpty || random.chance(10) ? Array(store.deliveries.indices) : ended
        guard !all.isEmpty else { return nil }
        let place = all[random.below(all.count)]
        return .retry(
            RetryRequest(
                brand: store.lanes[Int(store.deliveries[place].lane.rawValue) - 1].brand,
                delivery: DeliveryID(Int64(place) + 1),
                ttlSeconds: Int64(random.chance(30) ? random.between(1, 40) : 3600)
            )
        )
    }

    /// Notes a sighting of a consumer's device, usually of a registered one.
    mutating func see() throws(Violation) {
        var (name, device) = world.window(&random)
        let registered = store.registrations.compactMap { $0 }
        if !registered.isEmpty, random.chance(80) {
            let found = registered[random.below(registered.count)]
            (name, device) = (store.name(of: found.consumer), found.device)
        }
        guard let device else { return }
        let sighting = DeviceSighting(consumer: name, device: device)
        let isFull = heard.count >= plan.settings.maxSightings || standing.isStopping || standing.failedAt != nil
        let isNew = !isFull && heard.insert(sighting).inserted
        try expect(.takesWhatItCan, writer.note(sighting) == isNew) { "a sighting is taken or not, \(standing)" }
    }

    /// Ends deliveries that expired in the store by housekeeping, independently of the state machine.
    mutating func runHousekeeping() {
        guard checker.mayExpire else { return }
        let batch = HousekeepingBatch(work: .expired, now: now, limit: 1000)
        let count = store.runHousekeeping(batch)
        counts.tidied += count
        if isRecorded { storeSteps.append(.runHousekeeping(batch, count)) }
        trace.note(44, Int64(count)) { "housekeeping ends \(count) deliveries" }
    }

    /// Starts or ends a period in which the clock may be wrong.
    mutating func doubtClock() { setDoubt(checker.mayExpire) }

    mutating func setDoubt(_ isDoubted: Bool) {
        if isDoubted { counts.doubts += 1 }
        checker.mayExpire = !isDoubted
        if sabotage != .hideDoubt { writer.delivery.mayExpire = !isDoubted }
        trace.note(45, isDoubted ? 1 : 0) { isDoubted ? "the clock may be wrong" : "the clock is right" }
    }

    /// Posts many events of one brand at once, and few of another.
    mutating func flood() throws(Violation) {
        for _ in 0..<60 { try post(world.empty(0)) }
        try post(world.empty(1))
    }

    /// Starts or ends a period in which the disk is nearly full.
    mutating func lackRoom() { setRoom(isLacking: !standing.lacksRoom) }

    mutating func setRoom(isLacking: Bool) {
        standing.lacksRoom = isLacking
        if sabotage != .inventFault { writer.faults = isLacking ? [.diskSpaceLow] : [] }
    }

    /// Lets a read find that the file is damaged: nothing more is written to it, and waiting callers get an error.
    mutating func damage() throws(Violation) {
        guard !standing.isDamaged else { return }
        standing.isDamaged = true
        standing.failedAt = now
        trace.note(46) { "a read finds damage" }
        try carryOut(writer.readFailed(.corrupt(detail: "simulated"), now: now))
    }

    /// Checks that no queue exceeds its limit.
    func checkBounds() throws(Violation) {
        let settings = plan.settings
        // An empty queue takes a whole request.
        try expect(.queuesAreBounded, writer.pendingEvents <= max(settings.maxPendingEvents, 4)) {
            "\(writer.pendingEvents) events wait"
        }
        try expect(.queuesAreBounded, writer.pendingChanges <= settings.maxPendingEvents) {
            "\(writer.pendingChanges) changes wait"
        }
        let outcomes = writer.delivery.outcomes.count
        let bound = settings.slotsPerLane * (flights.count + 2) + settings.maxOutcomesPerTurn
        try expect(.queuesAreBounded, outcomes <= bound) { "\(outcomes) outcomes wait, at most \(bound) may" }
    }
}
