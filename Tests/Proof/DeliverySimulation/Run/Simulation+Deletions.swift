import Delivery
import GatewayModel
import GatewayStorage
import PushProviders

/// Apps and brands that are deleted and created again, devices that are not seen, and what housekeeping removes batch
/// by batch.
extension Simulation {
    /// Returns whether a lane's app or brand was deleted, and the state machine has received it.
    ///
    /// A lane may have been closed before, by an app without its credential.
    func isGone(_ lane: Int) -> Bool {
        closedLanes.contains(lane) && store.deletedLanes.contains(LaneID(Int64(lane) + 1)) && !untold.contains(lane)
    }

    /// Returns a lane that an operator can change; nil when there is none.
    mutating func anyLane() -> Int? {
        let lanes = flights.indices.filter { !store.deletedLanes.contains(LaneID(Int64($0) + 1)) }
        return lanes.isEmpty ? nil : lanes[random.below(lanes.count)]
    }

    /// The first brand that has no app.
    var brandWithoutApp: BrandID? { SimulatedWorld.brands.first { store.lanes(of: $0).isEmpty } }

    // MARK: Apps and brands

    /// Deletes a brand's app, or the brand: in the store at once, in the state machine later.
    mutating func delete() throws(Violation) {
        guard !standing.isDamaged else { return }
        let brand = SimulatedWorld.brands[random.below(SimulatedWorld.brands.count)]
        let isBrand = random.chance(30)
        guard let lanes = isBrand ? store.deleteBrand(brand) : store.deleteApp(of: brand) else { return }
        if isBrand { counts.deletedBrands += 1 } else { counts.deletedApps += 1 }
        if isRecorded { storeSteps.append(.delete(brand, isBrand: isBrand, lanes)) }
        trace.note(50, isBrand ? 1 : 0) { "\(brand)\(isBrand ? "" : "'s app") is deleted, lanes \(lanes)" }
        try checker.deleted(brand, isBrand: isBrand, lanes, store)
        untold += lanes.map { Int($0.rawValue) - 1 }
    }

    /// Notifies the state machine of deleted lanes, and completes the operator's request.
    mutating func deliverDeleted() throws(Violation) {
        let lanes = untold
        untold = []
        for lane in lanes {
            if sabotage == .keepLane {
                closedLanes.insert(lane)
                removedLanes.insert(lane)
            } else {
                try removeLane(lane)
            }
        }
    }

    /// Checks that providers of removed lanes get nothing; they may ask until they have ended.
    func checkRemoved() throws(Violation) {
        for lane in removedLanes.sorted() {
            var (machine, jobs) = (writer.delivery, [PushJob]())
            machine.take(LaneID(Int64(lane) + 1), provider: providers[lane], capacity: 4, now: now, into: &jobs)
            try expect(.removedIsOver, jobs.isEmpty) {
                "lane \(lane + 1) was removed, and sends \(jobs.map(\.delivery))"
            }
        }
    }

    /// Creates a brand's app again, and the brand if it was deleted: its lanes are new ones.
    mutating func putApp(of brand: BrandID) throws(Violation) {
        let isNewBrand = !store.hasBrand(brand)
        let lanes = store.putApp(of: brand, SimulatedWorld.lanes(of: brand))
        counts.newApps += 1
        if isRecorded { storeSteps.append(.putApp(brand, isNewBrand: isNewBrand, lanes)) }
        trace.note(51) { "\(brand)'s app is created, lanes \(lanes)" }
        for _ in lanes {
            flights.append([])
            providers.append(0)
            credentials.append(0)
            checker.addLane()
        }
        for lane in lanes.map({ Int($0.rawValue) - 1 }) {
            try resetLane(lane)
            setRules(of: lane, isChange: true)
        }
    }

    // MARK: Housekeeping

    /// Runs a batch of housekeeping for erased consumers or deleted apps and brands.
    mutating func removeLeftovers() throws(Violation) {
        let works = store.leftovers
        guard !works.isEmpty else { return }
        var batch = HousekeepingBatch(work: works[random.below(works.count)], now: now, limit: random.between(1, 4))
        // Once a brand has no registrations the rest of it is removed at once: nothing refers to it.
        if case .deletedBrands = batch.work, !store.hasRegistrationsToRemove { batch.limit = 100_000 }
        let before = store
        let count = store.runHousekeeping(batch)
        counts.batches += 1
        counts.endedBeside += before.registrations.count { $0 != nil } - store.registrations.count { $0 != nil }
        if isRecorded { storeSteps.append(.runHousekeeping(batch, count)) }
        trace.note(52, Int64(count)) { "housekeeping removes \(count) of \(batch.work)" }
        try checker.checkHousekeeping(from: before, store)
    }

    /// Lets the housekeeper end devices that were not seen for some time.
    mutating func lookForStale() throws(Violation) {
        let brand = SimulatedWorld.brands[random.below(SimulatedWorld.brands.count)]
        try lookForStale(of: brand, notSeenFor: [60, 900, 7200][random.below(3)])
    }

    private mutating func lookForStale(of brand: BrandID, notSeenFor seconds: Int64) throws(Violation) {
        guard checker.mayExpire else { return }
        let since = now.adding(seconds: -seconds)
        try ask(.endStale(StaleDevices(brand: brand, notSeenSince: since, limit: random.between(1, 3))))
    }

    /// Continues as long as each turn ends as many as it may.
    mutating func lookAgain(_ turn: WriterTurn, _ result: WriterTurnResult) throws(Violation) {
        for (change, response) in zip(turn.changes, result.changes) {
            guard case .endStale(let stale) = change, case .unregistered(let ended) = response,
                ended.ended.count == stale.limit, !standing.isStopping
            else { continue }
            try ask(.endStale(stale))
        }
    }

    /// Lets some time pass without events, in some runs hours: then the housekeeper runs every ten minutes, and devices
    /// are seen.
    mutating func wait() throws(Violation) {
        // A session proves a merge for a day: no run is that long.
        guard plan.isLong, longWaits < 5, random.chance(40) else { return pass(Int64(random.below(10_000))) }
        longWaits += 1
        for _ in 0..<random.between(6, 18) {
            elapsed += 600_000
            if random.chance(30) { try see() }
            for brand in SimulatedWorld.brands { try lookForStale(of: brand, notSeenFor: 7200) }
            _ = try wholeStep(faults: true)
        }
    }
}
