import GatewayModel

extension Checker {
    /// Until when nothing may leave on a lane.
    struct LaneWaits: Sendable {
        /// As its provider asked.
        var asked: Timestamp?
        /// Because its credential was refused.
        var stopped: Timestamp?
        /// Platforms whose devices the provider cannot reach.
        var platforms: [DevicePlatform: StoppedPlatform] = [:]
    }

    /// A platform whose devices wait.
    struct StoppedPlatform: Sendable {
        var until: Timestamp
        /// The push that finds out whether they can be reached again.
        var probe: Int64?
    }

    /// A provider answered: what it asked for is waited for from now on.
    ///
    /// - Parameters:
    ///   - outcome: What became of its push.
    ///   - job: The push.
    ///   - stopSeconds: How long a refused credential stops a lane, or a platform, at least.
    ///   - isOld: Whether it left with a credential that the lane has no more: what is answered is the push's alone.
    ///   - now: The wall clock.
    mutating func waits(for outcome: PushOutcome, of job: PushJob, stopSeconds: Int64, isOld: Bool, now: Timestamp) {
        let id = job.delivery.rawValue
        let lane = tracked[Int(id) - 1].lane
        endWaits(of: lane, now: now)
        if !isOld { followPlatform(outcome, of: job, on: lane, until: now.adding(seconds: stopSeconds)) }
        switch outcome {
        case .retry(let seconds?, let scope) where seconds > 0:
            tracked[Int(id) - 1].notBefore = now.adding(seconds: seconds)
            guard scope == .lane, !isOld else { return }
            let until = now.adding(seconds: min(seconds, 60))
            waits[lane].asked = max(waits[lane].asked ?? until, until)
        case _ where isOld: break
        case .misconfigured:
            if waits[lane].stopped.map({ $0 <= now }) ?? true { waits[lane].stopped = now.adding(seconds: stopSeconds) }
        // A push that was judged on its merits: the credential is good.
        case .accepted, .unregistered, .rejected, .platformMisconfigured: waits[lane].stopped = nil
        case .retry, .unknown, .notSent: break
        }
    }

    private mutating func followPlatform(
        _ outcome: PushOutcome,
        of job: PushJob,
        on lane: Int,
        until: Timestamp
    ) {
        let known = waits[lane].platforms[job.platform]
        if outcome == .platformMisconfigured, known == nil {
            waits[lane].platforms[job.platform] = StoppedPlatform(until: until)
        }
        guard let known, known.probe == job.delivery.rawValue else { return }
        switch outcome {
        case .platformMisconfigured: waits[lane].platforms[job.platform] = StoppedPlatform(until: until)
        case .accepted: waits[lane].platforms[job.platform] = nil
        default: waits[lane].platforms[job.platform]?.probe = nil
        }
    }

    /// A push for a stopped platform leaves alone, and not before its time.
    ///
    /// - Parameters:
    ///   - job: The push.
    ///   - now: The wall clock.
    /// - Throws: ``Violation`` when it does not.
    mutating func checkPlatform(of job: PushJob, now: Timestamp) throws(Violation) {
        let lane = tracked[Int(job.delivery.rawValue) - 1].lane
        guard let stopped = waits[lane].platforms[job.platform] else { return }
        try expect(.waitsAreKept, stopped.until <= now && stopped.probe == nil) {
            "delivery \(job.delivery) leaves for \(job.platform) at \(now.milliseconds), which is stopped until \(stopped.until.milliseconds), probe \(stopped.probe ?? 0)"
        }
        waits[lane].platforms[job.platform]?.probe = job.delivery.rawValue
    }

    /// A provider pulls or answers: waits of its lane that are over stay so, also when the clock is set back.
    ///
    /// - Parameters:
    ///   - lane: The lane's place.
    ///   - now: The wall clock.
    mutating func endWaits(of lane: Int, now: Timestamp) {
        if let until = waits[lane].asked, until <= now { waits[lane].asked = nil }
        if let until = waits[lane].stopped, until <= now { waits[lane].stopped = nil }
    }

    /// A push leaves only when nobody asked to wait any longer.
    ///
    /// - Parameters:
    ///   - id: The delivery.
    ///   - now: The wall clock.
    /// - Throws: ``Violation`` when somebody did.
    mutating func checkWaits(_ id: Int64, now: Timestamp) throws(Violation) {
        let place = Int(id) - 1
        let (delivery, lane) = (tracked[place], waits[tracked[place].lane])
        let until = [delivery.notBefore, lane.asked, lane.stopped].compactMap { $0 }.max()
        try expect(.waitsAreKept, until.map { $0 <= now } ?? true) {
            "delivery \(id) leaves at \(now.milliseconds), and was to wait until \(until?.milliseconds ?? 0)"
        }
        tracked[place].notBefore = nil
    }
}
