import Delivery
import DequeModule
import GatewayModel
import PushProviders

/// The providers and the devices behind them.
extension Simulation {
    /// Lets a provider take pushes.
    mutating func take(_ lane: Int, capacity: Int) throws(Violation) {
        let (id, now) = (LaneID(Int64(lane) + 1), now)
        guard !closedLanes.contains(lane) else {
            // No provider can be created: the shell reports it when it has to wake one.
            if writer.delivery.hasWork(id, now: now) {
                checker.refused(lane, now: now)
                try work { $0.refuse(id, now: now) }
            }
            return
        }
        try replaceProvider(of: lane)
        checker.endWaits(of: lane, now: now)
        checker.pulls(on: lane, now: now)
        let before = writer.delivery
        var jobs: [PushJob] = []
        let outcomes = writer.delivery.outcomes.count
        let provider = providers[lane]
        let room = capacity
        let waiting = plan.isPlain && !isLimited(lane) ? checker.readyCount(lane, now: now, store) : nil
        let capacity = sabotage == .takeTooMany ? capacity + 1 : capacity
        writer.delivery.take(id, provider: provider, capacity: capacity, now: now, into: &jobs)
        if sabotage == .sendTwice {
            var copy = before
            copy.take(id, provider: provider, capacity: capacity, now: now, into: &jobs)
        }
        trace.note(10, Int64(jobs.count)) {
            "lane \(id) takes \(jobs.map { "\($0.delivery)@\($0.registration) badge \($0.badge ?? -1)" })"
        }
        try checker.decided(writer.delivery.outcomes[outcomes...], now: now, store)
        for job in jobs {
            counts.pushes += 1
            if lane >= SimulatedWorld.lanes.count { counts.newPushes += 1 }
            trace.fold(job.delivery.rawValue)
            trace.fold(job.badge ?? -1)
            try checker.taken(job, threshold: rules.summaryThreshold.map(Int.init), now: now, store)
            try checkQuiet(job)
            if job.summary > 0 { counts.summaries += 1 }
            let reads = checker.reads(of: job.registration)
            flights[lane].append(
                Flight(
                    job: job,
                    number: checker.pushes,
                    takenAt: now,
                    credential: credentials[lane],
                    reads: reads,
                    tries: checker.tries(of: job, store),
                    expiresAt: store.delivery(job.delivery.rawValue).expiresAt,
                    isImported: checker.tracked[Int(job.delivery.rawValue) - 1].isImported
                )
            )
        }
        for job in jobs { try checkHistory(of: job) }
        let isLeft = jobs.isEmpty && writer.delivery.hasWork(id, now: now) && before.lanes[id]?.inFlight == 0
        try expect(.workIsPlanned, !isLeft || room == 0) { "lane \(id) has work and sends nothing" }
        try checkQuota(jobs.count, on: lane)
        if looks(at: .quietIsKept) {
            try checker.checkHolding(writer.delivery.outcomes.dropFirst(outcomes), rules.quietHours, store, now: now)
        }
        try checkReleases(writer.delivery.outcomes.dropFirst(outcomes), before)
        let mayTry = before.lanes[id]?.invalidation.isSuspended != true || jobs.count < 2
        try expect(.waitsAreKept, mayTry) { "lane \(id) is suspended, and sends \(jobs.count) pushes" }
        try expect(.roomIsUsed, jobs.count <= room) {
            "lane \(id) has capacity for \(room) pushes and sends \(jobs.count)"
        }
        // A lane that is not believed sends only one push at a time.
        guard let waiting, before.lanes[id]?.invalidation.isSuspended != true else { return }
        try expect(.roomIsUsed, jobs.count >= min(room, waiting)) {
            "lane \(id) has capacity for \(room) pushes and sends \(jobs.count) of \(waiting)"
        }
    }

    /// Replaces a lane's provider if its settings changed; the previous one asks once more, and gets nothing.
    private mutating func replaceProvider(of lane: Int) throws(Violation) {
        let (id, now) = (LaneID(Int64(lane) + 1), now)
        let current = writer.delivery.lanes[id]?.provider ?? 0
        guard providers[lane] != current else { return }
        var jobs: [PushJob] = []
        let asking = sabotage == .keepProvider ? current : providers[lane]
        writer.delivery.take(id, provider: asking, capacity: 4, now: now, into: &jobs)
        try expect(.settingsAreCurrent, jobs.isEmpty) { "lane \(id) sends \(jobs.count) pushes by its old settings" }
        providers[lane] = current
    }

    /// Lets a provider take pushes, usually one that would get some.
    mutating func takeAny() throws(Violation) {
        var lane = random.below(flights.count)
        if random.chance(80) {
            lane = any(of: flights.indices.filter { writer.delivery.hasWork(LaneID(Int64($0) + 1), now: now) }) ?? lane
        }
        try take(lane, capacity: random.between(1, 4))
    }

    private mutating func any(of lanes: [Int]) -> Int? { lanes.isEmpty ? nil : lanes[random.below(lanes.count)] }

    private var lanesInFlight: [Int] { flights.indices.filter { !flights[$0].isEmpty } }

    /// Delivers the result of any push in flight.
    mutating func respondToAny() throws(Violation) {
        guard let lane = any(of: lanesInFlight) else { return }
        let index = random.below(flights[lane].count)
        guard !flights[lane][index].isStuck else { return }
        try respond(flights[lane].remove(at: index), isGood: false)
    }

    /// Chooses a push that gets no result while this process lives.
    mutating func stickAny() {
        guard let lane = any(of: lanesInFlight) else { return }
        let index = random.below(flights[lane].count)
        flights[lane][index].isStuck = true
        trace.note(11) { "delivery \(flights[lane][index].job.delivery) never gets a result" }
    }

    mutating func respond(_ flight: Flight, isGood: Bool) throws(Violation) {
        var outcome = isGood || !random.chance(plan.badResponses) ? .accepted(providerID: nil) : badOutcome(flight)
        if !isGood, let episode = plan.episode, episode.steps.contains(counts.steps), !random.chance(15) {
            outcome = self.outcome(of: episode.fault, flight)
        }
        let id = flight.job.delivery.rawValue
        var status = 200
        switch outcome {
        case .accepted:
            if sabotage != .forgeAcceptance || id % 3 != 0 { try arrive(flight) }
        case .unknown:
            status = 0
            if random.chance(50) {
                try arrive(flight)
                checker.unknown(id)
            }
        case .notSent: status = 0
        case .unregistered: status = 410
        case .retry: status = 503
        case .rejected: status = 400
        case .misconfigured: status = 403
        case .platformMisconfigured: status = 401
        }
        if outcome == .accepted(providerID: nil) { checker.accepted(flight) }
        checker.waits(
            for: outcome,
            of: flight,
            isOld: flight.credential != credentials[checker.tracked[Int(id) - 1].lane],
            now: now
        )
        var reported = outcome
        if sabotage == .softenRefusal, outcome == .rejected(token: .keep) {
            reported = .retry(afterSeconds: nil, scope: .device)
        }
        if sabotage == .hideRetryAfter, case .retry(_, let scope) = outcome {
            reported = .retry(afterSeconds: nil, scope: scope)
        }
        if sabotage == .hidePlatform, outcome == .platformMisconfigured {
            reported = .retry(afterSeconds: nil, scope: .device)
        }
        if sabotage == .hideRejection, outcome == .misconfigured {
            reported = .retry(afterSeconds: nil, scope: .device)
        }
        if sabotage == .hideOverload, case .retry(let seconds, .lane) = outcome {
            reported = .retry(afterSeconds: seconds, scope: .device)
        }
        let response = PushResponse(
            outcome: reported,
            status: status,
            reason: nil,
            badge: flight.job.badge,
            sentAt: flight.takenAt,
            latencyMilliseconds: 1
        )
        trace.note(12, id) { "delivery \(id) has the result \(outcome)" }
        trace.fold(Int64(status))
        let (now, lane) = (now, LaneID(Int64(checker.tracked[Int(id) - 1].lane) + 1))
        let known = writer.delivery.outcomes.count
        let lanes = try work { $0.receive([PushResult(delivery: DeliveryID(id), response: response)], now: now) }
        try checkWork(lanes, afterAnswersOf: lane, hadOutcomes: known > 0)
        if looks(at: .answersAreFollowed) {
            try checker.checkResponse(
                outcome,
                of: flight,
                Array(writer.delivery.outcomes.dropFirst(known)),
                writer.delivery,
                isEnding: standing.isDraining || writer.delivery.isRemoved(lane),
                now: now
            )
        }
        var alerts = try takeAlerts().filter { $0.lane == lane }.map(\.alert)
        if sabotage == .hideAlerts { alerts = [] }
        // The state machine does not learn about it either.
        if sabotage != .hidePlatform, sabotage != .hideRejection { try checker.checkAlerts(alerts, of: id) }
    }

    private mutating func badOutcome(_ flight: Flight) -> PushOutcome {
        if isBehindFCM(flight), random.chance(40) { return .platformMisconfigured }
        switch random.below(100) {
        case 0..<25:
            return .retry(afterSeconds: nil, scope: [.device, .device, .laneIfSeveral, .lane][random.below(4)])
        case 25..<40:
            return .retry(
                afterSeconds: Int64([0, 1, 10, 400][random.below(4)]),
                scope: random.chance(70) ? .device : .lane
            )
        case 40..<50: return .notSent
        case 50..<65: return .unknown
        case 65..<75: return .unregistered(since: nil)
        case 75..<82: return .unregistered(since: flight.takenAt.adding(seconds: Int64(random.between(-600, 0))))
        case 82..<86: return .rejected(token: .keep)
        case 86..<90: return .rejected(token: .quarantine)
        default: return .misconfigured
        }
    }

    private func outcome(of fault: SimulationPlan.Episode.Fault, _ flight: Flight) -> PushOutcome {
        switch fault {
        case .deadDevices: .unregistered(since: nil)
        case .refusedCredential: .misconfigured
        case .refusedTokens: .rejected(token: .quarantine)
        case .refusedPlatform: isBehindFCM(flight) ? .platformMisconfigured : .accepted(providerID: nil)
        case .overload: .retry(afterSeconds: flight.number.isMultiple(of: 2) ? 1 : nil, scope: .lane)
        case .passingFaults: .retry(afterSeconds: nil, scope: .laneIfSeveral)
        case .resends: .retry(afterSeconds: flight.number.isMultiple(of: 4) ? 30 : 0, scope: .device)
        case .unsent: .notSent
        case .silence: .unknown
        }
    }

    private func isBehindFCM(_ flight: Flight) -> Bool {
        store.lanes[checker.tracked[Int(flight.job.delivery.rawValue) - 1].lane].pushType == .fcm
    }

    /// Delivers a push that the provider accepted; the device shows it.
    mutating func arrive(_ flight: Flight) throws(Violation) {
        var badge = flight.job.badge
        let registration = Int(flight.job.registration.rawValue) - 1
        if sabotage == .showOldBadge, let shown = checker.shown[registration], shown.badge > 0, badge != nil {
            badge = shown.badge - 1
        }
        try checker.arrived(flight, badge: badge, store)
        if sabotage == .deliverTwice { try checker.arrived(flight, badge: badge, store) }
    }
}
