import DequeModule
package import GatewayModel
import GatewayStorage
package import PushProviders

extension DeliveryMachine {
    /// Appends at most `capacity` pushes that leave now, each correct at this moment: with the current unread count,
    /// without rows of ended registrations and of messages that were read; expired ones finish here.
    ///
    /// A provider that was replaced since gets nothing.
    package mutating func take(
        _ id: LaneID,
        provider: UInt64,
        capacity: Int,
        now: Timestamp,
        into jobs: inout [PushJob]
    ) {
        guard lanes[id]?.provider == provider, lanes[id]?.blockedUntil(now: now) == nil,
            var lane = lanes.remove(id)
        else { return }
        var bucket = bucket(of: lane, now: now)
        defer {
            if let quota = lane.quota { quotas[quota] = bucket }
            lanes[id] = lane
        }
        lane.quotaWait = nil
        var room = capacity
        let rules = rules.isEmpty ? nil : rules[id]
        if case .open = lane.breaker { lane.breaker = .trying }
        if lane.breaker == .trying { room = lane.inFlight == 0 ? min(room, 1) : 0 }
        let isProbing = lane.pause.isProbing(now: now)
        if isProbing { room = lane.pause.probe == nil ? min(room, 1) : 0 }
        let isSuspended = lane.invalidation.isProbing(now: now)
        if isSuspended { room = lane.invalidation.probe == nil ? min(room, 1) : 0 }
        while room > 0 {
            if let next = lane.ready.firstClass, let bucket, !bucket.admits(next) {
                lane.quotaWait = (bucket.next(for: next), next)
                break
            }
            if !lane.ready.isEmpty, lane.pace?.admits(now: now) == false { break }
            guard let key = lane.ready.popFirst() else { break }
            guard var registration = registrations.removeValue(forKey: key) else { continue }
            let pushClass = registration.readyClass ?? .agent
            while let row = registration.head, row.expiresAt <= now, mayExpire {
                registration.head = registration.tail.popFirst()
                lane.rows.remove(row)
                deviceRows.removed(key)
                addExpired(row, now: now)
            }
            guard var row = registration.head else {
                registrations[key] = registration
                forgetIfIdle(key)
                continue
            }
            guard row.queue.pushClass <= pushClass else {
                // The row that was ready to leave has expired.
                registrations[key] = registration
                lane.ready.append(key, row.queue.pushClass)
                continue
            }
            let stopped = lane.platforms.isEmpty ? nil : lane.platforms[registration.platform]
            if let until = stopped?.wait(now: now, settings) {
                setAside(&registration, key, &lane, until: until)
                registrations[key] = registration
                continue
            }
            if rules?.summaryThreshold != nil, isPart(registration, of: lane, now: now) {
                release(&registration, key, &lane, now: now)
                registrations[key] = registration
                continue
            }
            let quiet = quiet(row, registration.traits, rules, now: now)
            if let quiet, quiet.mode == .held {
                hold(&registration, key, &lane, until: quiet.until)
                registrations[key] = registration
                forgetIfIdle(key)
                continue
            }
            var summary: Summary?
            if let threshold = rules?.summaryThreshold {
                summary = sum(&registration, above: threshold, now: now)
                if let summary { summaries[key] = summary }
                row = registration.head ?? row
            }
            registration.isSending = true
            let unread = consumers[registration.consumer]?.unread ?? row.unread
            // A device that was logged out of agents' messages is not told how many there are (R195).
            let hasBadge = row.message.map { !$0.silent && registration.receivesAgents } ?? true
            var job = PushJob(
                delivery: row.id,
                registration: key,
                token: registration.token,
                platform: registration.platform,
                locale: registration.traits?.locale,
                isQuiet: quiet != nil,
                summary: summary.map { min(Int64($0.others.count) + 1, unread) } ?? 0,
                message: row.message,
                badge: hasBadge ? unread : nil,
                expiresAt: summary?.expiresAt ?? row.expiresAt
            )
            job.read = row.read
            if let summary {
                // The newest stands for all, and is as urgent as the most urgent of them.
                job.isUrgent = summary.isUrgent
                job.sound = summary.sound
            }
            jobs.append(job)
            registrations[key] = registration
            inFlight[row.id] = InFlight(
                registration: key,
                lane: id,
                credential: lane.credential,
                takenAt: now,
                token: registration.token,
                platform: registration.platform,
                queuedAt: row.queuedAt,
                isResend: max(row.attempts, summary?.attempts ?? 0) > 0,
                isImported: row.isImported,
                objectiveSeconds: objectiveSeconds(of: row, rules)
            )
            if isProbing { lane.pause.probe = row.id }
            if isSuspended { lane.invalidation.probe = row.id }
            if stopped != nil { lane.platforms[registration.platform]?.probe = row.id }
            bucket?.take()
            lane.pace?.take()
            lane.inFlight += 1
            room -= 1
        }
    }

    /// Returns whether a lane has something that could leave now.
    package func hasWork(_ id: LaneID, now: Timestamp) -> Bool {
        lanes[id]?.hasWork(now: now) == true
    }

    /// Returns when a delivery in flight was queued, and whether it was tried before; nil when it is not in flight.
    package func history(of delivery: DeliveryID) -> (queuedAt: Timestamp, isResend: Bool)? {
        inFlight[delivery].map { ($0.queuedAt, $0.isResend) }
    }

    /// Returns the message of a delivery in flight; nil for a badge, and when it is not in flight.
    package func message(of delivery: DeliveryID) -> MessageID? { attempt(of: delivery)?.message }

    /// Returns the message of a delivery in flight and the number of the attempt, from 1; nil for a badge, and when it
    /// is not in flight.
    package func attempt(of delivery: DeliveryID) -> (message: MessageID, number: Int)? {
        guard let push = inFlight[delivery], let row = registrations[push.registration]?.head,
            let message = row.message
        else { return nil }
        return (message.id, row.attempts + 1)
    }

    /// Decides what follows from push results, and adds what must be stored to ``outcomes``; returns lanes that have
    /// something to send now.
    package mutating func receive(_ results: [PushResult], now: Timestamp) -> Set<LaneID> {
        var touched: Set<LaneID> = []
        for result in results {
            guard let push = inFlight.removeValue(forKey: result.delivery) else { continue }
            follow(result, of: push, now: now)
            let key = push.registration
            let summary = summaries.isEmpty ? nil : summaries.removeValue(forKey: key)
            guard var registration = registrations.removeValue(forKey: key), let row = registration.head else {
                continue
            }
            let lane = registration.lane
            registration.isSending = false
            registration.head = registration.tail.popFirst()
            if let place = lanes.place(of: lane) {
                lanes[place].inFlight -= 1
                lanes[place].rows.remove(row)
            }
            deviceRows.removed(key)
            let hasOtherToken = registration.token != push.token
            let tries = max(row.attempts, summary?.attempts ?? 0)
            var verdict = decide(row, result.response, after: tries, push, hasOtherToken, now: now)
            countForObjective(push, verdict.disposition, result.response, now: now)
            if summary == nil, case .finished = verdict.disposition, !verdict.stopsDevice {
                // Rows behind an expired one wait as long as the provider asked for, not for the retry that is not
                // made.
                verdict.due = registration.head == nil ? nil : verdict.asked
            }
            if let summary, let due = verdict.due { requeue(summary.others, of: &registration, due: due) }
            // A finished row is not requeued: younger rows wait only until the outcomes before it are stored.
            let requeuedBefore = verdict.onlyFinishes ? outcomesAdded : nil
            add(
                OutcomeRecord(
                    delivery: row.id,
                    registration: key,
                    // A push that was not sent is no attempt.
                    response: result.response.outcome == .notSent ? nil : result.response,
                    disposition: verdict.disposition,
                    token: verdict.token,
                    earlierTries: row.attempts
                )
            )
            if let due = verdict.due {
                // Nothing leaves for a device that is reported as gone, or whose token is rejected, until that is
                // stored.
                if !verdict.stopsDevice { lanes[lane]?.noteBacklog(row.queue, due: due) }
                requeue(&registration, key: key, due: due, isAsked: true, lastRequeued: requeuedBefore)
            } else if let summary {
                if case .accepted = result.response.outcome { end(summary.others, of: &registration) }
                if registration.head != nil, isDraining || lanes[lane]?.isClosed == true {
                    // It was kept until the result came.
                    requeue(&registration, key: key, due: now)
                }
            }
            if registration.isIdle {
                forget(key, of: registration.consumer)
            } else {
                if let now = registration.readyClass { lanes[lane]?.ready.append(key, now) }
                registrations[key] = registration
            }
            touched.insert(lane)
        }
        return touched.filter { hasWork($0, now: now) }
    }

    /// Requeues all rows of a registration behind the one that failed.
    ///
    /// If there are none, what is younger waits for the outcome with the number `lastRequeued`; nil means the newest.
    private mutating func requeue(
        _ registration: inout Registration,
        key: RegistrationID,
        due: Timestamp,
        isAsked: Bool = false,
        lastRequeued: UInt64? = nil
    ) {
        var rows: [OutboxRow] = []
        while let row = registration.head {
            release(row, due: due, isAsked: isAsked)
            lanes[registration.lane]?.noteBacklog(row.queue, due: due)
            registration.head = registration.tail.popFirst()
            rows.append(row)
        }
        drop(rows, lane: registration.lane)
        // A commit may be under way that hands out younger rows of this registration: until the commit with these
        // outcomes, such rows must be requeued too.
        let last = rows.isEmpty ? lastRequeued ?? outcomesAdded : outcomesAdded
        registration.requeuedRows = RequeuedRows(due: due, outcome: last, isAsked: isAsked)
        requeuedRows.insert(key)
    }

    /// Requeues the waiting rows of a registration; one in flight stays, with the rows that its summary stands for.
    mutating func requeueWaiting(_ key: RegistrationID, due: Timestamp) {
        guard var registration = registrations.removeValue(forKey: key) else { return }
        let current = registration.isSending ? registration.head : nil
        if registration.isSending { registration.head = registration.tail.popFirst() }
        let kept = summaries[key].map { summary in registration.removeWaiting { summary.others.contains($0.id) } } ?? []
        if registration.head != nil { requeue(&registration, key: key, due: due) }
        registration.head = current
        registration.tail = Deque(kept)
        registrations[key] = registration
    }

    /// Updates the lane from a push result; does nothing when the credential of the push was replaced.
    private mutating func follow(_ result: PushResult, of push: InFlight, now: Timestamp) {
        guard let place = lanes.place(of: push.lane), lanes[place].credential == push.credential else {
            return
        }
        lanes[place].followLoad(result, now: now)
        let isAccepted = result.response.outcome.isAccepted
        if isAccepted { lanes[place].isProven = true }
        followInvalidation(isAccepted: isAccepted, result.delivery, of: push, now: now)
        followCredential(result.response, of: push, now: now)
        followPlatform(result, of: push, now: now)
    }

    /// Updates whether the credential works, and whether tokens do.
    private mutating func followCredential(_ response: PushResponse, of push: InFlight, now: Timestamp) {
        let id = push.lane
        switch response.outcome {
        case .misconfigured:
            if lanes[id]?.openBreaker(now: now, settings) == true, let until = lanes[id]?.blockedUntil(now: now) {
                lanes[id]?.cause = LaneCause(response)
                alerts.append((id, .stopped(until: until, status: response.status, reason: response.reason)))
            }
        case .accepted:
            lanes[id]?.quarantined = 0
            closeBreaker(id)
        // The provider judged the push itself, or failed behind the provider: the credential was accepted.
        case .unregistered, .rejected(.keep), .platformMisconfigured: closeBreaker(id)
        // Many imported tokens are old: they say nothing about a credential that has worked.
        case .rejected(.quarantine) where push.isImported && lanes[id]?.isProven == true:
            tryCredentialAgain(id, now: now)
        case .rejected(.quarantine):
            let count = (lanes[id]?.quarantined ?? 0) + 1
            lanes[id]?.quarantined = count
            if count < settings.quarantinesBeforeStop {
                closeBreaker(id)
            } else if lanes[id]?.openBreaker(now: now, settings) == true {
                lanes[id]?.cause = LaneCause(response)
                guard count == settings.quarantinesBeforeStop else { return }
                alerts.append((id, .tokensRefused(count: count, reason: response.reason)))
            }
        // An overloaded or unreachable provider says nothing about the credential.
        case .retry, .unknown, .notSent: tryCredentialAgain(id, now: now)
        }
    }

    /// Sends another probe at once, if one was sent.
    private mutating func tryCredentialAgain(_ id: LaneID, now: Timestamp) {
        if lanes[id]?.breaker == .trying { lanes[id]?.breaker = .open(until: now) }
    }

    private mutating func closeBreaker(_ id: LaneID) {
        guard let place = lanes.place(of: id), lanes[place].breaker != .closed else { return }
        lanes[place].breaker = .closed
        lanes[place].rejections = 0
        alerts.append((id, .recovered))
    }

    /// Returns the alerts for operators since the last call, in order, and removes them.
    package mutating func takeAlerts() -> [(lane: LaneID, alert: LaneAlert)] {
        guard !alerts.isEmpty else { return [] }
        defer { alerts = [] }
        return alerts
    }

    /// The consequences of a push result.
    private struct Verdict {
        var disposition: OutcomeRecord.Disposition
        var token = OutcomeRecord.TokenEffect.none
        /// When the device's rows may be tried again; nil when they may be now.
        var due: Timestamp?
        /// The time that the provider asked for.
        var asked: Timestamp?

        /// Whether the store is to stop the device, or to quarantine its token: this ends its waiting rows, which an
        /// operator may have tried again and which must not be in flight by then.
        var stopsDevice: Bool { token.stopsDevice }

        /// Whether the row is finished, and nothing happens to the device.
        var onlyFinishes: Bool { if case .finished = disposition { !stopsDevice } else { false } }
    }

    private mutating func decide(
        _ row: OutboxRow,
        _ response: PushResponse,
        after tries: Int,
        _ push: InFlight,
        _ hasOtherToken: Bool,
        now: Timestamp
    ) -> Verdict {
        switch response.outcome {
        case .accepted:
            let token: OutcomeRecord.TokenEffect = push.isImported ? .confirm(token: push.token) : .none
            return Verdict(disposition: .finished(.accepted, nil), token: token)
        case .unregistered, .rejected(.quarantine):
            // The rejected token was the old one; the device has registered another meanwhile, which the push has not
            // tried.
            if hasOtherToken { return retry(row, due: now) }
            guard case .unregistered(let since) = response.outcome else {
                let token = OutcomeRecord.TokenEffect.quarantine(token: push.token)
                return Verdict(disposition: .finished(.failed, nil), token: token, due: now, asked: now)
            }
            let isBelieved = lanes[push.lane]?.invalidation.believes(
                pushOf: push.takenAt,
                now: now,
                settings.invalidation
            )
            guard isBelieved ?? true else {
                return retry(row, due: now.adding(milliseconds: delay(after: tries, asked: nil, row: row.id)))
            }
            let token = OutcomeRecord.TokenEffect.drop(token: push.token, since: since)
            return Verdict(disposition: .finished(.failed, nil), token: token, due: now, asked: now)
        case .rejected(.keep):
            return Verdict(disposition: .finished(.failed, nil))
        case .retry(let seconds, _):
            var verdict = retry(row, due: now.adding(milliseconds: delay(after: tries, asked: seconds, row: row.id)))
            verdict.asked = seconds.map { now.adding(seconds: $0) }
            return verdict
        case .misconfigured:
            return retry(
                row,
                due: lanes[push.lane]?.blockedUntil(now: now) ?? now.adding(seconds: settings.breakerFirstSeconds)
            )
        case .platformMisconfigured:
            return retry(row, due: platformDue(of: push, now: now))
        case .unknown:
            return retry(row, due: now.adding(milliseconds: delay(after: tries, asked: nil, row: row.id)))
        case .notSent:
            let due = lanes[push.lane]?.unsent.due(takenAt: push.takenAt, now: now) ?? now
            var verdict = retry(row, due: due)
            if case .retry = verdict.disposition { verdict.disposition = .release(due: due, isAsked: true) }
            return verdict
        }
    }

    /// Plans a retry; the delivery expires now if the retry could only come too late.
    private func retry(_ row: OutboxRow, due: Timestamp) -> Verdict {
        let isTooLate = mayExpire && due >= row.expiresAt
        return Verdict(disposition: isTooLate ? .finished(.expired, nil) : .retry(due: due), due: due)
    }

    /// The number of attempts of a delivery that may be followed by another at once: browsers stop at about six resends
    /// of a refused stream (ProviderFacts page, F2).
    private static let resendsAtOnce = 5

    /// Returns the delay before the next attempt, in milliseconds: the one that the provider asked for, or the
    /// setting's, plus up to 20 % so that many rows do not become due at the same moment.
    ///
    /// The addition is derived from the delivery's id, not random, so that one seed of the simulation is always the
    /// same run.
    private func delay(after attempts: Int, asked: Int64?, row: DeliveryID) -> Int64 {
        let delays = settings.retryDelaysSeconds
        let seconds = delays[min(attempts, delays.count - 1)]
        // 0 means "at once", but not forever; any other request is a lower bound for our own delay, so that a
        // provider's short one does not cause a storm of attempts.
        let isAtOnce = asked == 0 && attempts < Self.resendsAtOnce
        let base = isAtOnce ? 0 : max(asked ?? 0, asked == 0 ? delays[0] : seconds) * 1000
        let mixed = UInt64(bitPattern: row.rawValue &+ Int64(attempts)) &* 0x9E37_79B9_7F4A_7C15
        return base + Int64(mixed >> 33) % max(base / 5, 1)
    }

    /// Stops taking rows and plans no more claims; waiting rows in memory are requeued.
    package mutating func drain(now: Timestamp) {
        isDraining = true
        for key in registrationKeys(where: { _ in true }) { requeueWaiting(key, due: now) }
        for id in lanes.busy { lanes[id]?.ready = ReadyQueue() }
    }
}
