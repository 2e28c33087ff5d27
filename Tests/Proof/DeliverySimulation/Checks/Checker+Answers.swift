import Delivery
import GatewayModel
import GatewayStorage
import PushProviders

/// Checks the record of each push result against a table of the providers' outcomes, which the state machine does not
/// use.
extension Checker {
    /// The expected record of a push with a result.
    private enum Ending {
        case finished(DeliveryState)
        /// It waits at least until the first time, and less long than until the second.
        case waits(from: Timestamp, to: Timestamp)
    }

    /// Checks that a result is recorded as what it means, and that the wait of its device's rows is neither shorter nor
    /// longer; a lane that was removed, or whose process stops, sends nothing more (`isEnding`).
    mutating func checkResponse(
        _ outcome: PushOutcome,
        of flight: Flight,
        _ written: [OutcomeRecord],
        _ machine: DeliveryMachine,
        isEnding: Bool,
        now: Timestamp
    ) throws(Violation) {
        let id = flight.job.delivery
        guard let record = written.first(where: { $0.delivery == id }) else {
            throw Violation(invariant: .answersAreFollowed, detail: "the result of delivery \(id) is not recorded")
        }
        let ending = ending(outcome, of: flight, record, machine, now: now)
        try expect(.answersAreFollowed, (record.response == nil) == (outcome == .notSent)) {
            "delivery \(id), \(outcome), is wrong about whether it counts as an attempt"
        }
        try expect(.answersAreFollowed, record.token == token(outcome, of: flight, record)) {
            "delivery \(id), \(outcome), has the token effect \(record.token)"
        }
        try checkSummed(flight, written)
        var behind: ClosedRange<Timestamp>?
        switch (ending, record.disposition) {
        case (.finished(let state), .finished(let found, nil)) where state == found: break
        case (.waits(let from, let to), .retry(let due)) where outcome != .notSent:
            try expect(.answersAreFollowed, from <= due && (due < to || due == from) && isInTime(due, flight)) {
                "delivery \(id), \(outcome) after \(flight.tries) tries, is retried after \(due.milliseconds - now.milliseconds)"
            }
            try noteSpread(due.milliseconds - from.milliseconds, to.milliseconds - from.milliseconds)
            behind = due...due
        case (.waits(let from, _), .release(let due, true))
        where outcome == .notSent && due == from && isInTime(due, flight):
            behind = due...due
        case (.waits(let from, let to), .finished(.expired, nil))
        where !isInTime(max(from, to.adding(milliseconds: -1)), flight):
            if flight.job.summary > 0 { behind = from...max(from, to) }
        default:
            throw Violation(
                invariant: .answersAreFollowed,
                detail: "delivery \(id), \(outcome) after \(flight.tries) tries, becomes \(record.disposition)"
            )
        }
        if record.token.stopsDevice { behind = now...now }
        if behind == nil, case .retry(let seconds?, _) = outcome, flight.job.summary == 0 {
            behind = now.adding(seconds: seconds)...now.adding(seconds: seconds)
        }
        try checkBehind(flight, written, behind, isEnding: isEnding, now: now)
    }

    /// Checks that the outcomes of rows which a summary stands for precede the summary's own: a crash between two
    /// commits would otherwise make them due at once.
    private func checkSummed(_ flight: Flight, _ written: [OutcomeRecord]) throws(Violation) {
        guard flight.job.summary > 0, let own = written.firstIndex(where: { $0.delivery == flight.job.delivery }) else {
            return
        }
        for (index, record) in written.enumerated() where index != own {
            guard case .release(_, true) = record.disposition else { continue }
            let isSummarized = tracked[Int(record.delivery.rawValue) - 1].summarizedBy == flight.job.delivery.rawValue
            try expect(.answersAreFollowed, (index < own) == isSummarized) {
                "delivery \(record.delivery) is requeued on the wrong side of summary \(flight.job.delivery)"
            }
        }
    }

    /// Checks the device's rows behind the one with the result.
    private func checkBehind(
        _ flight: Flight,
        _ written: [OutcomeRecord],
        _ behind: ClosedRange<Timestamp>?,
        isEnding: Bool,
        now: Timestamp
    ) throws(Violation) {
        for record in written where record.delivery != flight.job.delivery {
            let holds: Bool
            switch record.disposition {
            case .release(let due, true): holds = behind?.contains(due) ?? false
            case .release(let due, false): holds = behind == nil && isEnding && due == now
            case .finished(.suppressed, .collapsed): holds = behind == nil
            case .finished, .retry: holds = false
            }
            try expect(.answersAreFollowed, holds) {
                "behind delivery \(flight.job.delivery) delivery \(record.delivery) becomes \(record.disposition)"
            }
        }
        let left = held[Int(flight.job.registration.rawValue) - 1]
        try expect(.answersAreFollowed, left.isEmpty || behind == nil && !isEnding) {
            "deliveries \(left.sorted()) stay in memory behind delivery \(flight.job.delivery)"
        }
    }

    private func isInTime(_ due: Timestamp, _ flight: Flight) -> Bool { !mayExpire || due < flight.expiresAt }

    private func hasOtherToken(_ flight: Flight, _ record: OutcomeRecord) -> Bool {
        if let known = delivered.registrations[Int(flight.job.registration.rawValue) - 1] {
            return known.token != flight.job.token
        }
        // Its last token is not known, and does not matter.
        return switch record.disposition {
        case .retry, .finished(.expired, _): true
        case .finished, .release: false
        }
    }

    private func token(
        _ outcome: PushOutcome,
        of flight: Flight,
        _ record: OutcomeRecord
    ) -> OutcomeRecord.TokenEffect {
        if outcome.isAccepted, flight.isImported { return .confirm(token: flight.job.token) }
        guard !hasOtherToken(flight, record), case .finished(.failed, nil) = record.disposition else { return .none }
        return switch outcome {
        case .unregistered(let since): .drop(token: flight.job.token, since: since)
        case .rejected(.quarantine): .quarantine(token: flight.job.token)
        default: .none
        }
    }

    private func ending(
        _ outcome: PushOutcome,
        of flight: Flight,
        _ record: OutcomeRecord,
        _ machine: DeliveryMachine,
        now: Timestamp
    ) -> Ending {
        let place = tracked[Int(flight.job.delivery.rawValue) - 1].lane
        let lane = machine.lanes[LaneID(Int64(place) + 1)]
        switch outcome {
        case .accepted: return .finished(.accepted)
        case .unregistered, .rejected(.quarantine):
            if hasOtherToken(flight, record) { return .waits(from: now, to: now) }
            let believes = lane?.invalidation.believes(pushOf: flight.takenAt, now: now, settings.invalidation)
            if case .unregistered = outcome, believes == false { return delay(nil, flight, now: now) }
            return .finished(.failed)
        case .rejected(.keep): return .finished(.failed)
        case .retry(let seconds, _): return delay(seconds, flight, now: now)
        case .unknown: return delay(nil, flight, now: now)
        case .misconfigured:
            let due = lane?.blockedUntil(now: now) ?? now.adding(seconds: settings.breakerFirstSeconds)
            return .waits(from: due, to: due)
        case .platformMisconfigured:
            let due = platformDue(flight.job.platform, on: place, now: now)
            return .waits(from: due, to: due)
        case .notSent: return .waits(from: waits[place].unsent.due, to: waits[place].unsent.due)
        }
    }

    private func platformDue(_ platform: DevicePlatform, on lane: Int, now: Timestamp) -> Timestamp {
        guard let stopped = waits[lane].platforms[platform] else {
            return now.adding(seconds: settings.breakerFirstSeconds)
        }
        if stopped.until > now { return stopped.until }
        let seconds =
            stopped.probe == nil ? settings.breakerFirstSeconds : min(5, stopSeconds(after: stopped.rejections))
        return now.adding(seconds: seconds)
    }

    /// Returns the expected delay of an attempt: its own, or the one that the provider asks for if that is longer, and
    /// up to a fifth more.
    ///
    /// "At once" means at once, up to five times.
    private func delay(_ asked: Int64?, _ flight: Flight, now: Timestamp) -> Ending {
        if asked == 0, flight.tries < 5 { return .waits(from: now, to: now) }
        let delays = settings.retryDelaysSeconds
        let own = asked == 0 ? delays[0] : flight.tries < delays.count ? delays[flight.tries] : delays[delays.count - 1]
        let seconds = max(asked ?? 0, own)
        return .waits(from: now.adding(seconds: seconds), to: now.adding(milliseconds: seconds * 1200))
    }

    /// Checks that rows that failed together do not become due together: a delay without any addition is rare.
    private mutating func noteSpread(_ added: Int64, _ most: Int64) throws(Violation) {
        guard most >= 100 else { return }
        unspread = added == 0 ? unspread + 1 : 0
        try expect(.answersAreFollowed, unspread < 4) { "nothing was added to four delays in a row" }
    }
}
