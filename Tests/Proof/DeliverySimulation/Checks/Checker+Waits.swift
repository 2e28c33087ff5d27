import Delivery
import GatewayModel

extension Checker {
    /// The times until which nothing may leave on a lane.
    struct LaneWaits: Sendable {
        /// The time that its provider asked for.
        var asked: Timestamp?
        /// The time until which its rejected credential stops it.
        var stopped: Timestamp?
        /// Whether its credential works, and how often in a row it did not.
        var breaker = Breaker()
        /// Whether a push with its credential was accepted: then tokens that were imported say nothing about it.
        var isProven = false
        /// Pushes that were not sent, without one that was in between.
        var unsent = Unsent()
        /// The alerts that operators must receive for the latest result.
        var alerts: [String] = []
        /// The pause because its provider had too many faults.
        var pause = Pause()
        /// Platforms whose devices the provider cannot reach.
        var platforms: [DevicePlatform: StoppedPlatform] = [:]
    }

    /// The pause of a lane because its provider had faults; its waits are one, two, then five seconds.
    struct Pause: Sendable {
        var until: Timestamp?
        /// The push that is the probe.
        var probe: Int64?
        var waits = 0
        /// The faults without an accepted push between them, and the time of the first one.
        var faults = 0
        var since: Timestamp?
    }

    /// A platform whose devices wait.
    struct StoppedPlatform: Sendable {
        var until: Timestamp
        /// The push that is the probe.
        var probe: Int64?
        var rejections = 1
    }

    /// The breaker of a lane whose credential was rejected: each time for twice as long.
    struct Breaker: Sendable, Equatable {
        var until: Timestamp?
        /// Whether a probe is in flight.
        var isTrying = false
        var rejections = 0
        /// Tokens that were quarantined, without an accepted push in between.
        var quarantined = 0

        static func == (left: Breaker, right: Breaker) -> Bool {
            left.until == right.until && left.isTrying == right.isTrying
        }
    }

    /// The waits of pushes that are not sent: none, then one, two, and five seconds.
    struct Unsent: Sendable {
        var place = 0
        var since: Timestamp?
        /// The time at which the one that came back last leaves again.
        var due = Timestamp(milliseconds: 0)
    }

    /// Returns how long a credential that was rejected this often before stops its pushes, in seconds.
    func stopSeconds(after rejections: Int) -> Int64 {
        var seconds = settings.breakerFirstSeconds
        for _ in 0..<min(rejections, 10) { seconds = min(seconds * 2, settings.breakerMaxSeconds) }
        return min(seconds, settings.breakerMaxSeconds)
    }

    /// Records the waits that follow from a provider's result.
    ///
    /// If `isOld`, the push left with an earlier credential of the lane: the result then concerns only the push.
    mutating func waits(for outcome: PushOutcome, of flight: Flight, isOld: Bool, now: Timestamp) {
        let (job, takenAt) = (flight.job, flight.takenAt)
        let id = job.delivery.rawValue
        let lane = tracked[Int(id) - 1].lane
        endWaits(of: lane, now: now)
        waits[lane].alerts = []
        if !isOld {
            followPause(outcome, of: id, on: lane, now: now)
            if outcome.isAccepted { waits[lane].isProven = true }
            followBreaker(outcome, of: flight, on: lane, now: now)
        }
        delayNextTry(after: outcome, of: id, now: now)
        if outcome == .notSent { delayUnsent(id, takenAt: takenAt, on: lane, now: now) }
        if !isOld { followPlatform(outcome, of: job, on: lane, now: now) }
        switch outcome {
        case .retry(let seconds?, let scope) where seconds > 0:
            tracked[Int(id) - 1].notBefore = now.adding(seconds: seconds)
            guard scope == .lane, !isOld else { return }
            let until = now.adding(seconds: min(seconds, 60))
            waits[lane].asked = max(waits[lane].asked ?? until, until)
        case _ where isOld: break
        case .misconfigured: waits[lane].stopped = waits[lane].breaker.until
        // The provider judged the push itself: the credential is good.
        case .accepted, .unregistered, .rejected, .platformMisconfigured:
            waits[lane].stopped = waits[lane].breaker.until
        case .retry, .unknown, .notSent: break
        }
    }

    /// Follows the lane's pause: faults that may concern the whole lane stop it for at least a second, when there are
    /// enough.
    private mutating func followPause(_ outcome: PushOutcome, of id: Int64, on lane: Int, now: Timestamp) {
        let isProbe = waits[lane].pause.probe == id
        if isProbe { waits[lane].pause.probe = nil }
        var asked: Int64?
        switch outcome {
        case .unknown, .notSent: break
        default: waits[lane].unsent = Unsent()
        }
        switch outcome {
        case .accepted, .unregistered, .rejected, .misconfigured, .platformMisconfigured:
            waits[lane].pause.faults = 0
            if waits[lane].pause.until.map({ $0 <= now }) ?? true { waits[lane].pause = Pause() }
            return
        case .retry(_, .device): return
        case .unknown, .notSent: if !isProbe { return }
        case .retry(let seconds, .lane): asked = seconds
        case .retry(_, .laneIfSeveral): break
        }
        var pause = waits[lane].pause
        if pause.until != nil {
            // Pushes that were in flight when it began do not count.
            guard isProbe else { return }
            pause.waits += 1
        } else {
            let isSoon = pause.since.map { abs(now.milliseconds - $0.milliseconds) < 1000 } ?? false
            if pause.faults == 0 || !isSoon { (pause.faults, pause.since) = (0, now) }
            pause.faults += 1
            let isOfLane = if case .retry(_, .lane) = outcome { true } else { false }
            waits[lane].pause = pause
            guard isOfLane || pause.faults >= settings.faultsBeforePause else { return }
        }
        let seconds = max([1, 2, 5][min(pause.waits, 2)], asked ?? 0)
        pause.until = now.adding(seconds: min(seconds, 60))
        pause.faults = 0
        waits[lane].pause = pause
    }

    /// Follows the lane's breaker by the result of a push with its current credential.
    private mutating func followBreaker(_ outcome: PushOutcome, of flight: Flight, on lane: Int, now: Timestamp) {
        var breaker = waits[lane].breaker
        switch outcome {
        case .rejected(.quarantine) where flight.isImported && waits[lane].isProven, .retry, .unknown, .notSent:
            if breaker.isTrying { (breaker.until, breaker.isTrying) = (now, false) }
        case .misconfigured: if open(&breaker, now: now) { waits[lane].alerts.append("stopped") }
        case .rejected(.quarantine) where breaker.quarantined + 1 >= settings.quarantinesBeforeStop:
            breaker.quarantined += 1
            let isFirst = breaker.quarantined == settings.quarantinesBeforeStop
            if open(&breaker, now: now), isFirst { waits[lane].alerts.append("tokensRefused") }
        case .accepted, .unregistered, .rejected, .platformMisconfigured:
            if breaker != Breaker() { waits[lane].alerts.append("recovered") }
            let quarantined = breaker.quarantined
            breaker = Breaker()
            if outcome == .rejected(token: .quarantine) { breaker.quarantined = quarantined + 1 }
            if case .unregistered = outcome { breaker.quarantined = quarantined }
            if case .rejected(.keep) = outcome { breaker.quarantined = quarantined }
            if outcome == .platformMisconfigured { breaker.quarantined = quarantined }
        }
        waits[lane].breaker = breaker
    }

    /// Opens the breaker of a lane without a credential, for which no provider can be created.
    mutating func refused(_ lane: Int, now: Timestamp) { _ = open(&waits[lane].breaker, now: now) }

    /// Follows a provider that takes pushes from a lane whose credential was rejected, when it may be tried again.
    mutating func pulls(on lane: Int, now: Timestamp) {
        guard let until = waits[lane].breaker.until, until <= now, waits[lane].asked == nil,
            waits[lane].pause.until.map({ $0 <= now }) ?? true
        else { return }
        waits[lane].breaker.isTrying = true
    }

    /// Opens a breaker; returns false when it was open already.
    private func open(_ breaker: inout Breaker, now: Timestamp) -> Bool {
        if let until = breaker.until, !breaker.isTrying, until > now { return false }
        breaker.until = now.adding(seconds: stopSeconds(after: breaker.rejections))
        breaker.isTrying = false
        breaker.rejections += 1
        return true
    }

    private mutating func delayUnsent(_ id: Int64, takenAt: Timestamp, on lane: Int, now: Timestamp) {
        var unsent = waits[lane].unsent
        if let since = unsent.since, since <= now {
            if takenAt >= since {
                unsent.place = min(unsent.place + 1, 3)
                unsent.since = now
            }
        } else {
            unsent.since = now
        }
        let due = max(now, (unsent.since ?? now).adding(seconds: [0, 1, 2, 5][unsent.place]))
        unsent.due = due
        waits[lane].unsent = unsent
        if due > now { tracked[Int(id) - 1].notBefore = due }
    }

    /// Checks that operators receive exactly the alerts that follow from the result of a delivery's push.
    func checkAlerts(_ alerts: [LaneAlert], of id: Int64) throws(Violation) {
        let words: [String] = alerts.compactMap { alert in
            switch alert {
            // Checked by their own invariant.
            case .suspended, .resumed: nil
            case .stopped: "stopped"
            case .recovered: "recovered"
            case .platformStopped: "platformStopped"
            case .platformRecovered: "platformRecovered"
            case .tokensRefused: "tokensRefused"
            }
        }
        // After a change of the clock some waits begin again.
        guard !hasJumped else { return }
        let expected = waits[tracked[Int(id) - 1].lane].alerts
        try expect(.operatorsAreTold, words == expected) {
            "the result of delivery \(id) alerts operators of \(words) instead of \(expected)"
        }
    }

    /// Records that the attempt after a failed one must not leave before the first of the delays.
    private mutating func delayNextTry(after outcome: PushOutcome, of id: Int64, now: Timestamp) {
        guard let delay = settings.retryDelaysSeconds.first, delay > 0 else { return }
        switch outcome {
        case .retry(nil, _), .unknown: tracked[Int(id) - 1].notBefore = now.adding(seconds: delay)
        default: break
        }
    }

    private mutating func followPlatform(
        _ outcome: PushOutcome,
        of job: PushJob,
        on lane: Int,
        now: Timestamp
    ) {
        let known = waits[lane].platforms[job.platform]
        if outcome == .platformMisconfigured, known == nil {
            waits[lane].platforms[job.platform] = StoppedPlatform(until: now.adding(seconds: stopSeconds(after: 0)))
            waits[lane].alerts.append("platformStopped")
        }
        guard let known, known.probe == job.delivery.rawValue else { return }
        switch outcome {
        case .platformMisconfigured:
            let until = now.adding(seconds: stopSeconds(after: known.rejections))
            waits[lane].platforms[job.platform] = StoppedPlatform(until: until, rejections: known.rejections + 1)
        case .accepted:
            waits[lane].platforms[job.platform] = nil
            waits[lane].alerts.append("platformRecovered")
        default: waits[lane].platforms[job.platform]?.probe = nil
        }
    }

    /// Checks that a push for a stopped platform leaves as the only one, and not before the wait is over.
    mutating func checkPlatform(of job: PushJob, now: Timestamp) throws(Violation) {
        let lane = tracked[Int(job.delivery.rawValue) - 1].lane
        guard let stopped = waits[lane].platforms[job.platform] else { return }
        try expect(.waitsAreKept, stopped.until <= now && stopped.probe == nil) {
            "delivery \(job.delivery) leaves for \(job.platform) at \(now.milliseconds), which is stopped until \(stopped.until.milliseconds), probe \(stopped.probe ?? 0)"
        }
        waits[lane].platforms[job.platform]?.probe = job.delivery.rawValue
    }

    /// Ends waits of a lane that are over when its provider takes pushes or has results; they stay over when the clock
    /// is set back.
    mutating func endWaits(of lane: Int, now: Timestamp) {
        if let until = waits[lane].asked, until <= now { waits[lane].asked = nil }
        if let until = waits[lane].stopped, until <= now { waits[lane].stopped = nil }
    }

    /// Checks that a push leaves only after all waits.
    mutating func checkWaits(_ id: Int64, now: Timestamp) throws(Violation) {
        let place = Int(id) - 1
        let (delivery, lane) = (tracked[place], waits[tracked[place].lane])
        let until = [delivery.notBefore, lane.asked, lane.stopped, lane.pause.until].compactMap { $0 }.max()
        try expect(.waitsAreKept, until.map { $0 <= now } ?? true) {
            "delivery \(id) leaves at \(now.milliseconds), before its wait ends at \(until?.milliseconds ?? 0)"
        }
        tracked[place].notBefore = nil
        try expect(.waitsAreKept, !lane.breaker.isTrying || inFlight[tracked[place].lane] == 0) {
            "delivery \(id) leaves while another is the probe of the credential"
        }
        guard lane.pause.until != nil else { return }
        try expect(.waitsAreKept, lane.pause.probe == nil) {
            "delivery \(id) leaves while \(lane.pause.probe ?? 0) is the probe of the pause"
        }
        waits[tracked[place].lane].pause.probe = id
    }
}
