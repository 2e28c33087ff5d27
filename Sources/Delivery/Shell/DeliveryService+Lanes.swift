import CoreMetrics
import GatewayModel
import Logging
import PushProviders
import Synchronization
import Telemetry

extension DeliveryService {
    /// Wakes the providers of these lanes because there is work; creates those that are missing.
    func wake(_ lanes: Set<LaneID>) {
        for lane in lanes {
            switch provider(of: lane) {
            case .success(let provider): provider?.wake()
            case .failure(let error):
                logger.error(
                    "a lane cannot be opened",
                    metadata: [LogKey.lane: "\(lane)", LogKey.errorText: "\(error.text)"]
                )
                let now = clock.now
                state.withLock { $0.writer.delivery.refuse(lane, now: now) }
            }
        }
    }

    /// Wakes the providers of these lanes that exist; returns whether all do.
    func wakeKnown(_ lanes: Set<LaneID>) -> Bool {
        let known = providers.withLock { $0.known(of: lanes) }
        for provider in known { provider.wake() }
        return known.count == lanes.count
    }

    /// Wakes lanes from a provider's event loop, on which no provider is created: reading keys takes time.
    private func wakeFromLoop(_ lanes: Set<LaneID>) {
        guard !wakeKnown(lanes) else { return }
        // Rare, after a change of the app, and nobody waits for it.
        Task { self.wake(lanes) }
    }

    private struct ProviderFailure: Error { var text: String }

    private func provider(of lane: LaneID) -> Result<(any PushProvider)?, ProviderFailure> {
        while true {
            switch providers.withLock({ $0.next(lane) }) {
            case .use(let provider): return .success(provider)
            case .wait: return .success(nil)
            case .make(let changes):
                // Read before the settings: when they change meanwhile, the provider made from the old ones takes
                // nothing.
                let number = state.withLock { $0.writer.delivery.lanes[lane]?.provider ?? 0 }
                let (result, rules) = makeProvider(of: lane, number: number)
                let made = (try? result.get()).flatMap { $0 }
                let isCurrent = providers.withLock { providers in
                    guard providers.made(made, of: lane, changes: changes) else { return false }
                    // Set before a later change can set its own.
                    if let made {
                        state.withLock {
                            $0.writer.delivery.setRules(rules, of: lane, isChange: false)
                            $0.writer.delivery.setQuota(made.quota, of: lane)
                        }
                    }
                    return true
                }
                if isCurrent { return result }
                retire(made.map { [$0] } ?? [])
            }
        }
    }

    /// Creates a provider from the current settings; nil while its credential is being loaded.
    private func makeProvider(
        of lane: LaneID,
        number: UInt64
    ) -> (Result<(any PushProvider)?, ProviderFailure>, LaneRules?) {
        guard let description = directory.lane(lane) else {
            return (.failure(ProviderFailure(text: "its app has no credential for it")), nil)
        }
        let source = LaneSource(service: self, lane: lane, number: number, name: description.key)
        do {
            let provider = try maker(description, source)
            return (.success(provider), LaneRules(description.brand.settings))
        } catch {
            return (.failure(ProviderFailure(text: "\(error)")), nil)
        }
    }

    /// Lets providers finish their pushes in flight, in the background of the service.
    func retire(_ old: [any PushProvider]) {
        guard !old.isEmpty else { return }
        let limit = Duration.seconds(settings.drainDeadlineSeconds)
        // Not a child of run(): it ends by itself within the limit, and its results are accepted whenever they come.
        Task {
            await withTaskGroup(of: Void.self) { group in
                for provider in old { group.addTask { await provider.shutdown(within: limit) } }
            }
        }
    }

    func take(_ lane: LaneID, provider: UInt64, capacity: Int, into pushes: inout [PushJob]) {
        let now = clock.now
        let isWriterNeeded = state.withLock { state in
            state.writer.delivery.take(lane, provider: provider, capacity: capacity, now: now, into: &pushes)
            // When the quota or the pace lets more out, the writer wakes the lane.
            return !state.writer.delivery.outcomesMayWait(now: now)
                || state.writer.delivery.lanes[lane]?.limitedUntil(now: now) != nil
        }
        if isWriterNeeded { signal() }
    }

    func receive(_ responses: [PushResult], of lane: LaneID, named name: LaneKey) {
        let now = clock.now
        let isTraced = tracer != nil && traced.withLock { !$0.isEmpty }
        let (lanes, histories, attempts, alerts, needsTurn) = state.withLock { state in
            let histories = responses.map { state.writer.delivery.history(of: $0.delivery) }
            let attempts = isTraced ? responses.map { state.writer.delivery.attempt(of: $0.delivery) } : []
            let hadOutcomes = !state.writer.delivery.outcomes.isEmpty
            let lanes = state.writer.delivery.receive(responses, now: now)
            let needsTurn = state.writer.delivery.needsTurn(afterAnswersOf: lane, hadOutcomes: hadOutcomes, now: now)
            return (lanes, histories, attempts, state.writer.delivery.takeAlerts(), needsTurn)
        }
        // Before the outcomes are stored: a reader of a push's status then finds the reason in the log.
        log(alerts, now: now)
        if needsTurn { signal() }
        wakeFromLoop(lanes)
        let traces = isTraced ? recordAttempts(attempts, of: responses, on: name) : []
        for (index, (result, history)) in zip(responses, histories).enumerated() {
            if history?.isResend == true { metrics.resends[name.pushType].increment() }
            metrics.recordResponse(
                name.pushType,
                result.response,
                queuedAt: history?.queuedAt,
                trace: isTraced ? traces[index] : nil
            )
        }
    }

    /// Logs what happened to lanes.
    func log(_ alerts: [(lane: LaneID, alert: LaneAlert)], now: Timestamp) {
        for (lane, alert) in alerts { log(alert, of: lane, now: now) }
    }

    private func log(_ alert: LaneAlert, of lane: LaneID, now: Timestamp) {
        let name = directory.lane(lane).map { "\($0.key)" } ?? "\(lane)"
        switch alert {
        case .stopped(let until, let status, let reason):
            logger.error(
                "a provider rejects the credential or the configuration of a lane; the lane is stopped",
                metadata: [
                    LogKey.laneName: "\(name)", LogKey.providerStatus: "\(status)", LogKey.reason: "\(reason ?? "")",
                    LogKey.seconds: "\((until.milliseconds - now.milliseconds) / 1000)",
                ]
            )
        case .recovered:
            logger.notice("a provider accepts the credential of a lane again", metadata: [LogKey.laneName: "\(name)"])
        case .platformStopped(let platform, let until, let status, let reason):
            logger.error(
                "a provider rejects its own credential for devices of one platform; only their pushes wait",
                metadata: [
                    LogKey.laneName: "\(name)", LogKey.platform: "\(platform.rawValue)",
                    LogKey.providerStatus: "\(status)", LogKey.reason: "\(reason ?? "")",
                    LogKey.seconds: "\((until.milliseconds - now.milliseconds) / 1000)",
                ]
            )
        case .platformRecovered(let platform):
            logger.notice(
                "a provider reaches devices of the platform again",
                metadata: [LogKey.laneName: "\(name)", LogKey.platform: "\(platform.rawValue)"]
            )
        case .tokensRefused(let count, let reason):
            logger.error(
                "a provider rejects the tokens of many devices in a row; the app's environment or topic may be wrong",
                metadata: [
                    LogKey.laneName: "\(name)", LogKey.count: "\(count)", LogKey.reason: "\(reason ?? "")",
                ]
            )
        case .suspended(let gone, let devices):
            if let pushType = directory.lane(lane)?.key.pushType { metrics.suspensions[pushType].increment() }
            logger.error(
                """
                a provider reports too many devices of a lane as gone; the lane is suspended, one push at a time is a probe, and \
                no registration is deleted
                """,
                metadata: [
                    LogKey.laneName: "\(name)", LogKey.count: "\(gone)", LogKey.devices: "\(devices)",
                ]
            )
        case .resumed:
            logger.notice(
                "a suspended lane sends again: a push was accepted; devices reported as gone are put back",
                metadata: [LogKey.laneName: "\(name)"]
            )
        }
    }

    /// Sets the gauges to what is in memory now; call it before the metrics are read.
    package func recordGauges() {
        let now = clock.now
        let (lanes, waitingSince, pendingEvents) = state.withLock {
            ($0.writer.delivery.lanes, $0.writer.delivery.waitingSince(now: now), $0.writer.pendingEvents)
        }
        metrics.pendingEvents.set(pendingEvents)
        var rows: [PushType: Int] = [:]
        var inFlight: [PushType: Int] = [:]
        var open: [PushType: Int] = [:]
        var stopped: [PushType: Int] = [:]
        var suspended: [PushType: Int] = [:]
        var waits: [PushType: Int64] = [:]
        for (id, lane) in lanes {
            guard let pushType = directory.lane(id)?.key.pushType else { continue }
            rows[pushType, default: 0] += lane.rows.total
            inFlight[pushType, default: 0] += lane.inFlight
            if lane.breaker != .closed { open[pushType, default: 0] += 1 }
            stopped[pushType, default: 0] += lane.stoppedPlatforms
            if lane.invalidation.isSuspended { suspended[pushType, default: 0] += 1 }
            if let since = waitingSince[id] {
                waits[pushType] = max(waits[pushType] ?? 0, now.milliseconds - since.milliseconds)
            }
        }
        for pushType in PushType.allCases {
            metrics.ownedRows[pushType].set(rows[pushType] ?? 0)
            metrics.inFlight[pushType].set(inFlight[pushType] ?? 0)
            metrics.openBreakers[pushType].set(open[pushType] ?? 0)
            metrics.stoppedPlatforms[pushType].set(stopped[pushType] ?? 0)
            metrics.suspendedLanes[pushType].set(suspended[pushType] ?? 0)
            metrics.oldestWaiting[pushType].set(Double(waits[pushType] ?? 0) / 1000)
        }
    }

    /// Records the state of a lane's provider, unless it was replaced.
    fileprivate func providerChanged(_ lane: LaneID, number: UInt64, _ new: PushProviderState) {
        guard state.withLock({ $0.writer.delivery.lanes[lane]?.provider == number }) else { return }
        providers.withLock { $0.changed(lane, new) }
    }

    /// Waits for pushes in flight, closes the providers, and commits the remaining outcomes.
    func drain() async {
        let now = clock.now
        state.withLock { $0.writer.delivery.drain(now: now) }
        let all = providers.withLock { $0.removeAll() }
        let limit = Duration.seconds(settings.drainDeadlineSeconds)
        await withTaskGroup(of: Void.self) { group in
            for provider in all { group.addTask { await provider.shutdown(within: limit) } }
        }
        // Every push has a result now, if only `unknown`; if the store fails, its owned rows wait for the next start.
        await writeTurns()
    }
}

/// A lane as its provider sees it: a source of pushes.
private final class LaneSource: PushSource {
    let service: DeliveryService
    let lane: LaneID
    /// The number of the provider that it was created for.
    let number: UInt64
    let name: LaneKey

    init(service: DeliveryService, lane: LaneID, number: UInt64, name: LaneKey) {
        self.service = service
        self.lane = lane
        self.number = number
        self.name = name
    }

    func nextPushes(capacity: Int, into pushes: inout [PushJob]) {
        let before = pushes.count
        service.take(lane, provider: number, capacity: capacity, into: &pushes)
        service.logLeaving(pushes[before...], of: name)
    }

    func receive(_ responses: [PushResult]) {
        service.logResponses(responses, of: name)
        service.receive(responses, of: lane, named: name)
    }

    func providerChanged(_ state: PushProviderState) {
        service.providerChanged(lane, number: number, state)
        switch state {
        case .failed(let fault, let reason):
            service.logger.warning(
                fault == .proxy
                    ? "the outbound proxy does not connect to a provider; its pushes wait"
                    : "a provider cannot be reached",
                metadata: [LogKey.laneName: "\(name)", LogKey.errorText: "\(reason)"]
            )
        case .ready:
            service.logger.info("a provider is ready", metadata: [LogKey.laneName: "\(name)"])
        case .idle, .connecting:
            service.logger.debug("a provider's connection changed", metadata: [LogKey.laneName: "\(name)"])
        }
    }
}
