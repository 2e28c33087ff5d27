internal import Delivery
package import GatewayModel
internal import Identity
internal import Logging
internal import PushPayloads
internal import PushProviders
internal import ServiceLifecycle
internal import Synchronization
internal import Telemetry
internal import TextFormats

/// Sends the canaries of apps and keeps their results, in memory (OperatorEvents page).
///
/// A canary is a self-check: it has its own connection, and no store, lane or statistic sees it. Any thread may call it.
package final class CanaryService: Service {
    /// The `data` of a push that the device is to confirm; the device library confirms no self-check.
    static let data = JSONText(trusted: #"{"action":"canary"}"#)

    private let directory: Directory
    private let delivery: DeliveryService
    private let makeProvider: ProviderMaker
    private let clock: any GatewayClock
    private let logger: Logger
    private let schedule = Mutex(CanarySchedule())

    init(
        directory: Directory,
        delivery: DeliveryService,
        makeProvider: @escaping ProviderMaker,
        clock: any GatewayClock,
        logger: Logger
    ) {
        self.directory = directory
        self.delivery = delivery
        self.makeProvider = makeProvider
        self.clock = clock
        self.logger = logger
        // Those of the start.
        let (settings, now) = (settings, clock.now)
        schedule.withLock { $0.update(settings, now: now) }
    }

    private var settings: [LaneKey: CanarySchedule.Setting] {
        var settings: [LaneKey: CanarySchedule.Setting] = [:]
        for app in directory.allApps {
            guard let canary = app.settings.canary else { continue }
            let lane = canary.lane(of: app.id, brand: app.brand)
            settings[lane] = CanarySchedule.Setting(canary: canary, appUpdatedAt: app.updatedAt)
        }
        return settings
    }

    /// The states of all canaries, in any order.
    package var all: [(lane: LaneKey, status: CanaryStatus)] { schedule.withLock { $0.all } }

    /// Returns the state of a lane's canary; nil when it has none.
    func status(of lane: LaneKey) -> CanaryStatus? { schedule.withLock { $0[lane] } }

    /// Looks every five seconds for canaries that are due, until the service group shuts down.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                while !Task.isCancelled {
                    for attempt in self.takeDue() { group.addTask { await self.send(attempt) } }
                    try? await Task.sleep(for: .seconds(5))
                }
            }
        }
    }

    /// Records devices' receipts; returns for each message whether it was a canary.
    func received(_ messages: [MessageID], brand: BrandID) -> [Bool] {
        let now = clock.now
        return schedule.withLock { $0.received(messages, brand: brand, now: now) }
    }

    /// Takes over the apps' settings, and returns the pushes that leave now.
    func takeDue() -> [CanarySchedule.Attempt] {
        let (settings, now) = (settings, clock.now)
        let (due, missing) = schedule.withLock { schedule in
            schedule.update(settings, now: now)
            return (schedule.due(now: now), schedule.noteMissingReceipts(now: now))
        }
        for lane in missing {
            logger.warning(
                "a canary's device does not confirm pushes that the provider accepted",
                metadata: [LogKey.laneName: "\(lane)"]
            )
        }
        guard !due.isEmpty else { return [] }
        let open = open(due, now: now)
        return schedule.withLock { $0.take(due, open: open, now: now) }
    }

    /// Returns the lanes that let a push out now: a canary is no way around a pause, a circuit breaker or a quota.
    private func open(_ due: [LaneKey], now: Timestamp) -> Set<LaneKey> {
        let wanted = Set(due)
        let paused = Set(directory.pausedLanes)
        let lanes = directory.lanes.filter { wanted.contains($0.key) && !paused.contains($0.id) }
        return Set(
            zip(lanes, delivery.status(of: lanes.map(\.id))).compactMap { lane, status in
                let platform = lane.app.defaultPlatform(for: lane.key.pushType)
                let waits = [status.nextTryAt, status.stoppedPlatforms[platform]].compactMap(\.self)
                return waits.allSatisfy { $0 <= now } ? lane.key : nil
            }
        )
    }

    /// Sends a push and records the verdict.
    func send(_ attempt: CanarySchedule.Attempt) async {
        let result = await result(of: attempt)
        // What ends with the gateway says nothing about the provider.
        guard !Task.isCancelled else { return }
        let now = clock.now
        schedule.withLock { $0.finished(attempt, result, now: now) }
        guard let result, result.outcome != "accepted" else { return }
        logger.warning(
            "a provider did not accept an app's canary push",
            metadata: [
                LogKey.laneName: "\(attempt.lane)", LogKey.outcome: "\(result.outcome)",
                LogKey.providerStatus: "\(result.response?.status ?? 0)",
                LogKey.reason: "\(result.response?.reason ?? "")",
            ]
        )
    }

    /// Returns nil when the push could not be tried.
    private func result(of attempt: CanarySchedule.Attempt) async -> SelfCheck.Result? {
        let (lane, canary) = (attempt.lane, attempt.canary)
        guard let brand = directory.brand(lane.brand),
            let app = try? await directory.openApp(brand: lane.brand, app: lane.app)
        else { return nil }
        if let problem = app.openingProblem { return .unusable(problem.pointer, problem.detail) }
        var check = SelfCheck(
            lane: lane,
            app: app.settings,
            brand: brand,
            clock: clock,
            // Whoever reads the lanes sees the verdict.
            isForAdmin: false
        )
        if canary.expectReceipt == true {
            check.data = Self.data
            check.messageID = attempt.message
            check.lifetimeSeconds = CanarySchedule.receiptSeconds
        }
        do {
            return try await check.run(token: canary.token, makeProvider: makeProvider)
        } catch { return .unusable(error.pointer, error.detail) }
    }
}

extension SelfCheck.Result {
    /// The result for an app whose settings cannot be used.
    fileprivate static func unusable(_ pointer: String, _ detail: String) -> Self {
        Self(
            outcome: "misconfigured",
            verdict: "The app's settings cannot be used: \(pointer) \(detail).",
            response: nil
        )
    }
}
