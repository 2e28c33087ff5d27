import Delivery
import GatewayModel
import GatewayStorage

/// Checks of a whole turn when it begins, and of the alerts after a commit.
extension Simulation {
    /// A kind of failure, new or not.
    enum Failure {
        case splits, poison, store
    }

    mutating func checkTurn(
        _ turn: WriterTurn,
        isCalled: Bool,
        _ decided: some Sequence<OutcomeRecord>
    ) throws(Violation) {
        yields = !yields && isCalled
        if !turn.outcomes.isEmpty { recordsTakenAt = now }
        for request in turn.accepts {
            let hours = checker.mayExpire ? SimulatedWorld.dedupeHours : AcceptRequest.allDedupeHours
            try expect(.doubtIsKept, request.dedupeHours == hours) {
                "events of \(request.dedupeHours) hours are searched for replays instead of \(hours)"
            }
        }
        let seen = min(heard.count, plan.settings.maxChangesPerTurn)
        try expect(.takesWhatItCan, turn.seen.count == seen && heard.isSuperset(of: turn.seen)) {
            "\(turn.seen.count) sightings are noted of \(heard.count)"
        }
        heard.subtract(turn.seen)
        if looks(at: .quietEnds) { try checker.checkHeld(turn.outcomes, rules.quietHours) }
        if decided.contains(where: { $0.disposition == .finished(.expired, nil) }) {
            let isEarly = searchedAt.map { now.milliseconds - $0.milliseconds < 1000 } ?? false
            try expect(.timeIsKept, !isEarly || checker.hasJumped) { "memory is searched twice in a second" }
            searchedAt = now
        }
        if looks(at: .registrationsAreKept) { try checkPuttingBack(turn) }
        guard looks(at: .turnsAreFull) else { return }
        try checkOutcomes(turn)
        var turn = turn
        if sabotage == .closeLanes { turn.budgets = [:] }
        if sabotage == .idleCampaigns, rules.campaignRatePerSecond != nil {
            turn.claims.removeAll { $0.queue.isCampaign }
        }
        let terms = Checker.TurnTerms(
            rules: rules,
            isDraining: standing.isDraining,
            yields: yields,
            now: now
        )
        try checker.checkSlots(turn, writer.delivery, store, terms)
    }

    /// Checks that while a lane is suspended a device is put back only if no other push can be the probe.
    private func checkPuttingBack(_ turn: WriterTurn) throws(Violation) {
        for request in turn.putBacks {
            guard let lane = writer.delivery.lanes[request.lane], lane.invalidation.isSuspended else { continue }
            let isEmpty = checker.rows[Int(request.lane.rawValue) - 1] == 0
            let isNeeded = isEmpty && !lane.backlog.values.contains { $0 <= now }
            try expect(.registrationsAreKept, isNeeded && !writer.delivery.isRemoved(request.lane)) {
                "a device of lane \(request.lane) is put back, and there are other pushes for a probe"
            }
        }
    }

    /// Checks that a turn has all outcomes or as many as it may, and with the last of them the rows that end with it.
    private func checkOutcomes(_ turn: WriterTurn) throws(Violation) {
        let (settings, left) = (plan.settings, writer.delivery.outcomes)
        let all = turn.outcomes + left
        let isPatient = standing.failedAt == nil && !standing.isStopping
        let areCampaigns =
            isPatient && isCampaignSent && !writer.delivery.isRequeuing && !standing.isDraining
            && checker.areHarmless(all)
        // Half of a campaign's may be left to the next turn, if it takes enough and they leave enough slots.
        let mayBeLeft = min(all.count / 2, all.count - settings.leastOutcomesPerTurn, checker.slotsPerLane / 4)
        let most = min(settings.maxOutcomesPerTurn, all.count - (areCampaigns ? max(mayBeLeft, 0) : 0))
        let beyond = turn.outcomes.dropFirst(most)
        try expect(.turnsAreFull, beyond.allSatisfy { $0.disposition == .finished(.suppressed, .collapsed) }) {
            "a turn has \(turn.outcomes.count) outcomes"
        }
        let isYielding = areCampaigns && yields && all.count < settings.maxOutcomesPerTurn
        try expect(.turnsAreFull, turn.outcomes.isEmpty || !isYielding) {
            "callers wait for \(turn.outcomes.count) outcomes while a campaign is sent"
        }
        let mayWait = isYielding || isPatient && writer.delivery.outcomesMayWait(now: now)
        let isFull = turn.outcomes.isEmpty ? mayWait : turn.outcomes.count >= most
        try expect(.turnsAreFull, left.isEmpty || isFull) {
            "a turn has \(turn.outcomes.count) outcomes, and leaves \(left.count)"
        }
    }

    /// Whether a lane has proactive pushes in memory.
    private var isCampaignSent: Bool {
        checker.rows.indices.contains { checker.rowsInMemory(of: $0, .proactive, store) > 0 }
    }

    func checkRecords() throws(Violation) {
        guard looks(at: .recordsAreTimely), !writer.isInTurn else { return }
        try checker.checkRecords(
            writer.delivery,
            takenAt: recordsTakenAt,
            isDraining: standing.isDraining,
            now: now
        )
    }

    /// Checks that the next start finds exactly the suspended lanes as suspended.
    func checkSuspensions() throws(Violation) {
        guard looks(at: .registrationsAreKept), !asksNext, !standing.isStopping, standing.failedAt == nil else {
            return
        }
        for place in flights.indices where !checker.deletedLanes.contains(LaneID(Int64(place) + 1)) {
            let id = LaneID(Int64(place) + 1)
            let isSuspended = writer.delivery.lanes[id].map { $0.invalidation.phase != .believing } ?? false
            try expect(.registrationsAreKept, store.suspended.contains(id) == isSuspended) {
                "lane \(id) is suspended or not, and the next start finds the opposite"
            }
        }
    }

    /// Takes the alerts: the suspension of a lane and its end, alternating and as they happened.
    mutating func takeAlerts() throws(Violation) -> [(lane: LaneID, alert: LaneAlert)] {
        let alerts = writer.delivery.takeAlerts()
        guard sabotage != .hideAlerts else { return [] }
        for (lane, alert) in alerts {
            var isTrue = true
            switch alert {
            case .suspended: isTrue = reportedSuspended.insert(lane).inserted
            case .resumed: isTrue = reportedSuspended.remove(lane) != nil
            default: break
            }
            try expect(.operatorsAreTold, isTrue) { "operators are alerted twice of lane \(lane): \(alert)" }
        }
        for place in flights.indices {
            let id = LaneID(Int64(place) + 1)
            let isSuspended = writer.delivery.lanes[id]?.invalidation.isSuspended ?? false
            try expect(.operatorsAreTold, isSuspended == reportedSuspended.contains(id)) {
                "lane \(id) is suspended or not, and the alerts say the opposite"
            }
        }
        return alerts
    }

    /// Checks that the effects of a commit or a probe match its result.
    func checkFailure(
        _ effects: WriterMachine<Int, Int>.Effects,
        _ expected: Failure?,
        isRecovered: Bool = false
    ) throws(Violation) {
        let failure: Failure? =
            switch effects.failure {
            case .splits: .splits
            case .poison: .poison
            case .store: .store
            case nil: nil
            }
        try expect(.storeIsSpared, failure == expected && effects.isRecovered == isRecovered) {
            "a commit is seen as \(failure.map { "\($0)" } ?? "good"), recovered \(effects.isRecovered)"
        }
    }

    /// Counts a part of a turn that succeeded or failed; the turn continues until all are done, unless the store is
    /// damaged.
    mutating func endPart() throws(Violation) {
        partsLeft -= 1
        guard !standing.isDamaged else { return }
        try expect(.everybodyIsAnswered, writer.isInTurn == (partsLeft > 0)) { "\(partsLeft) parts of a turn are left" }
    }

    /// Checks that rows of a device are requeued for a summary only if the store has more of them, and not twice.
    func checkReleases(_ outcomes: some Sequence<OutcomeRecord>, _ before: DeliveryMachine) throws(Violation) {
        var known: Set<RegistrationID> = []
        for outcome in outcomes {
            guard case .release(let due, false) = outcome.disposition, due <= now else { continue }
            let row = store.delivery(outcome.delivery.rawValue)
            let isBehind = before.lanes[row.lane]?.backlog[.agent].map { $0 <= now } ?? false
            try expect(.stormIsSummed, rules.summaryThreshold != nil && isBehind && due == min(row.queuedAt, now)) {
                "delivery \(outcome.delivery) is requeued, due at \(due.milliseconds), and nothing waits with it"
            }
            guard known.insert(outcome.registration).inserted else { continue }
            let first = checker.firstQueued[Int(outcome.registration.rawValue) - 1]
            let isOld = first.adding(seconds: plan.settings.summaryAfterSeconds) <= now
            let isSummed = row.message?.countsAsUnread == true && row.expiresAt > now
            try expect(.stormIsSummed, isOld && isSummed) {
                "delivery \(outcome.delivery) is requeued for a summary, queued at \(first.milliseconds)"
            }
        }
    }
}
