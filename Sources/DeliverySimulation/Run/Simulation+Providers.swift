import Delivery
import DequeModule
import GatewayModel
import PushProviders

/// The providers and the devices behind them.
extension Simulation {
    /// A provider pulls.
    mutating func take(_ lane: Int, capacity: Int) throws(Violation) {
        let (id, now) = (LaneID(Int64(lane) + 1), now)
        guard !closedLanes.contains(lane) else {
            // No provider can be made: the shell says so when it is to wake one.
            if machine.hasWork(id, now: now) { try work { $0.refuse(id, now: now) } }
            return
        }
        let before = machine
        var jobs: [PushJob] = []
        let outcomes = machine.outcomes.count
        machine.take(id, capacity: capacity, now: now, into: &jobs)
        if sabotage == .sendTwice {
            var copy = before
            copy.take(id, capacity: capacity, now: now, into: &jobs)
        }
        trace.note(10, Int64(jobs.count)) {
            "lane \(id) takes \(jobs.map { "\($0.delivery)@\($0.registration) badge \($0.badge ?? -1)" })"
        }
        try checker.decided(machine.outcomes[outcomes...])
        for job in jobs {
            counts.pushes += 1
            trace.fold(job.delivery.rawValue)
            trace.fold(job.badge ?? -1)
            try checker.taken(job, threshold: rules?.summaryThreshold, now: now, store)
            try checkQuiet(job)
            if job.summary > 0 { counts.summaries += 1 }
            let reads = checker.reads(of: job.registration)
            flights[lane].append(Flight(job: job, takenAt: now, reads: reads))
        }
    }

    /// A provider pulls: mostly one that would get something.
    mutating func takeAny() throws(Violation) {
        var lane = random.below(flights.count)
        if random.chance(80) {
            lane = any(of: flights.indices.filter { machine.hasWork(LaneID(Int64($0) + 1), now: now) }) ?? lane
        }
        try take(lane, capacity: random.between(1, 4))
    }

    private mutating func any(of lanes: [Int]) -> Int? { lanes.isEmpty ? nil : lanes[random.below(lanes.count)] }

    private var lanesInFlight: [Int] { flights.indices.filter { !flights[$0].isEmpty } }

    /// Any push that is on its way is answered.
    mutating func answerAny() throws(Violation) {
        guard let lane = any(of: lanesInFlight) else { return }
        let index = random.below(flights[lane].count)
        guard !flights[lane][index].isStuck else { return }
        try answer(flights[lane].remove(at: index), isGood: false)
    }

    /// One push is never answered while this process lives.
    mutating func stickAny() {
        guard let lane = any(of: lanesInFlight) else { return }
        let index = random.below(flights[lane].count)
        flights[lane][index].isStuck = true
        trace.note(11) { "delivery \(flights[lane][index].job.delivery) is never answered" }
    }

    mutating func answer(_ flight: Flight, isGood: Bool) throws(Violation) {
        let outcome = isGood || !random.chance(plan.badAnswers) ? .accepted(providerID: nil) : badOutcome(flight)
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
        case .unregistered: status = 410
        case .retry: status = 503
        case .rejected: status = 400
        case .misconfigured: status = 403
        }
        let answer = PushAnswer(
            outcome: outcome,
            status: status,
            reason: nil,
            badge: flight.job.badge,
            sentAt: flight.takenAt,
            latencyMilliseconds: 1
        )
        trace.note(12, id) { "delivery \(id) is answered \(outcome)" }
        trace.fold(Int64(status))
        let now = now
        _ = try work { $0.answered([PushResult(delivery: DeliveryID(id), answer: answer)], now: now) }
    }

    private mutating func badOutcome(_ flight: Flight) -> PushOutcome {
        switch random.below(100) {
        case 0..<30: return .retry(afterSeconds: nil, scope: random.chance(70) ? .device : .lane)
        case 30..<45:
            return .retry(
                afterSeconds: Int64([0, 1, 10, 400][random.below(4)]),
                scope: random.chance(70) ? .device : .lane
            )
        case 45..<65: return .unknown
        case 65..<75: return .unregistered(since: nil)
        case 75..<82: return .unregistered(since: flight.takenAt.adding(seconds: Int64(random.between(-600, 0))))
        case 82..<88: return .rejected(token: .keep)
        case 88..<92: return .rejected(token: .quarantine)
        default: return .misconfigured
        }
    }

    /// The provider took the push, and the device shows it.
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
