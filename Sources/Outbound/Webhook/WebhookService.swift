import CoreMetrics
package import GatewayModel
package import GatewayStorage
internal import GuardedHTTP
package import Logging
import ServiceLifecycle
import Synchronization
package import Telemetry

/// Posts each brand's items to its webhook, with one task for each brand: no brand waits for another's receiver.
///
/// ``run()`` posts until the service group stops it. A batch in flight at that time is posted again at the next start,
/// under the same id.
package final class WebhookService: Service, Sendable {
    /// The number of items that a webhook may skip before its mark is stored.
    private static let skippedItems: Int64 = 1000

    private let store: any FeedStore & WebhookStore
    private let directory: any WebhookDirectory
    private let makeSender: @Sendable () -> HTTPWebhookSender
    private let clock: any GatewayClock
    private let metrics: OutboundMetrics
    private let logger: Logger
    /// Rung when a brand has new items; the brand's one task waits for it.
    private let notifier = FeedNotifier(limit: .max, limitPerBrand: .max)
    /// Rung when a brand's settings changed or its mark was set back; the brand's one task waits for it.
    private let changes = FeedNotifier(limit: .max, limitPerBrand: .max)
    private let looks = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let standings = Mutex<[BrandID: Standing]>([:])

    private struct Standing {
        var lag: Int64 = 0
        var condition = WebhookConditionLabel.working
    }

    /// Creates the service; posting begins with ``run()``.
    ///
    /// - Parameters:
    ///   - store: The store of items and marks.
    ///   - directory: The brands' webhook targets.
    ///   - makeSender: Creates a brand's sender.
    ///   - clock: The source of time.
    ///   - metrics: The metrics.
    ///   - logger: The logger.
    package init(
        store: any FeedStore & WebhookStore,
        directory: any WebhookDirectory,
        makeSender: @escaping @Sendable () -> HTTPWebhookSender,
        clock: any GatewayClock,
        metrics: OutboundMetrics,
        logger: Logger
    ) {
        self.store = store
        self.directory = directory
        self.makeSender = makeSender
        self.clock = clock
        self.metrics = metrics
        self.logger = logger
    }

    /// Signals that a brand has new items.
    ///
    /// Thread-safe and cheap.
    package func newItems(_ brand: BrandID) { notifier.notify(brand) }

    /// Signals that webhooks were added, removed or changed, or that a mark was set back.
    ///
    /// Thread-safe and cheap.
    package func changed() {
        for brand in directory.brandsWithWebhook { changes.notify(brand) }
        for brand in standings.withLock({ Array($0.keys) }) { changes.notify(brand) }
        looks.continuation.yield()
    }

    /// Posts until the service group shuts down.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                self.startWorkers(&group)
                for await _ in self.looks.stream { self.startWorkers(&group) }
                group.cancelAll()
            }
        }
    }

    private func startWorkers(_ group: inout DiscardingTaskGroup) {
        for brand in directory.brandsWithWebhook {
            let isNew = standings.withLock { standings in
                guard standings[brand] == nil else { return false }
                standings[brand] = Standing()
                return true
            }
            guard isNew else { continue }
            group.addTask {
                let sender = self.makeSender()
                await self.work(brand, sender)
                await sender.close()
                self.standings.withLock { $0[brand] = nil }
                self.recordStandings()
                // The webhook may have been set again while this task ended.
                self.looks.continuation.yield()
            }
        }
    }

    /// Posts one brand's items until the brand has no webhook.
    private func work(_ brand: BrandID, _ sender: HTTPWebhookSender) async {
        // The last skipped position, which is not stored for each item; it belongs to one revision.
        var skipped: (revision: Int64, through: Int64) = (0, 0)
        while !Task.isCancelled {
            let (lastNotification, changed) = (notifier.lastNotification(brand), changes.lastNotification(brand))
            guard let target = directory.target(of: brand) else { return }
            do throws(StorageError) {
                guard let state = try await store.webhookState(brand: brand) else { return }
                var machine = WebhookMachine(state)
                if skipped.revision != state.revision { skipped = (state.revision, 0) }
                switch machine.step(now: clock.now) {
                case .off:
                    note(brand, .off, lag: nil)
                    _ = await changes.wait(brand, after: changed, atMost: nil)
                case .wait(let until):
                    let left = max(until.milliseconds - clock.now.milliseconds, 1)
                    _ = await changes.wait(brand, after: changed, atMost: .milliseconds(min(left, 60_000)))
                case .collect(let after):
                    let page = try await read(target, after: max(after, skipped.through))
                    note(brand, .working, lag: page.end - page.nextAfter)
                    if page.items.isEmpty {
                        skipped.through = page.nextAfter
                        if skipped.through - after < Self.skippedItems {
                            let isIdle =
                                page.isWhole
                                ? await isIdle(brand, lastNotification: lastNotification, changed: changed) : false
                            guard isIdle, skipped.through > after else { continue }
                        }
                        machine.skipped(through: skipped.through)
                    } else {
                        machine.collected(page)
                    }
                    _ = try await store.putWebhookState(machine.state, brand: brand)
                case .send(let after, let through):
                    try await send(target, machine, after: after, through: through, sender)
                }
            } catch {
                guard error != .closed else { return }
                // The delivery core logs the store's error.
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// Waits for items; returns true when none came for a minute.
    private func isIdle(_ brand: BrandID, lastNotification: UInt64, changed: UInt64) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                if case .over = await self.notifier.wait(brand, after: lastNotification, atMost: .seconds(60)) {
                    true
                } else {
                    false
                }
            }
            group.addTask {
                _ = await self.changes.wait(brand, after: changed, atMost: nil)
                return false
            }
            let isIdle = await group.next() ?? false
            group.cancelAll()
            return isIdle
        }
    }

    private func read(
        _ target: WebhookTarget,
        after: Int64,
        through: Int64? = nil
    ) async throws(StorageError) -> OutboundPage {
        var query = OutboundQuery(
            brand: target.brand,
            after: after,
            limit: WebhookBatch.maxItems,
            maxBytes: WebhookBatch.maxBytes
        )
        query.through = through
        query.types = target.types
        return try await store.outbound(query)
    }

    private func send(
        _ target: WebhookTarget,
        _ machine: WebhookMachine,
        after: Int64,
        through: Int64,
        _ sender: HTTPWebhookSender
    ) async throws(StorageError) {
        var machine = machine
        let page = try await read(target, after: after, through: through)
        // With other types than when the batch was decided, not all items may fit: the rest is the next batch.
        let passed = page.isWhole ? max(through, page.nextAfter) : page.nextAfter
        guard !page.items.isEmpty else {
            machine.skipped(through: passed)
            _ = try await store.putWebhookState(machine.state, brand: target.brand)
            return
        }
        let batch = WebhookBatch(target: target, items: page.items, hasGap: after < page.removedThrough)
        let response = await sender.post(batch, to: target, attempt: machine.state.attempts, at: clock.now)
        // The gateway stops: a response that it did not read is not the receiver's error.
        if Task.isCancelled, case .failed = response { return }
        let wasFailing = machine.state.attempts > 0
        machine.ended(response, through: passed, now: clock.now, jitter: .random(in: 0...1))
        log(response, machine.state, target.brand, wasFailing: wasFailing)
        if machine.state.attempts == 0 {
            // The next batch's last position is stored together with the mark: one write for each batch.
            let next = try await read(target, after: passed)
            machine.collected(next)
            note(target.brand, .working, lag: page.end - passed)
        } else {
            note(target.brand, machine.state.isSwitchedOff ? .off : .failing, lag: page.end - after)
        }
        _ = try await store.putWebhookState(machine.state, brand: target.brand)
    }

    private func log(_ response: WebhookAttemptResult, _ state: WebhookState, _ brand: BrandID, wasFailing: Bool) {
        metrics.posts[WebhookResultLabel(response)].increment()
        if state.isSwitchedOff {
            logger.warning(
                "webhook receiver responded with 410; nothing is posted until the webhook is set again",
                metadata: [LogKey.brand: "\(brand)"]
            )
        } else if state.attempts == 1 {
            // One log line for each outage, not for each attempt.
            logger.warning(
                "webhook attempt failed; its items are kept and posted again",
                metadata: [
                    LogKey.brand: "\(brand)", LogKey.errorCode: "\(state.lastError ?? "")",
                    LogKey.status: "\(state.lastStatus ?? 0)",
                ]
            )
        } else if state.attempts == 0, wasFailing {
            logger.notice("webhook works again", metadata: [LogKey.brand: "\(brand)"])
        }
    }

    // MARK: States

    private func note(_ brand: BrandID, _ condition: WebhookConditionLabel, lag: Int64?) {
        standings.withLock { standings in
            guard var standing = standings[brand] else { return }
            standing.condition = condition
            if let lag { standing.lag = lag }
            standings[brand] = standing
        }
        recordStandings()
    }

    private func recordStandings() {
        let all = standings.withLock { Array($0.values) }
        metrics.record(all.map(\.condition), lag: all.reduce(0) { max($0, $1.lag) })
    }
}

extension WebhookResultLabel {
    /// Creates the label of a result.
    init(_ response: WebhookAttemptResult) {
        self =
            switch response {
            case .responded(let status, _): (200...299).contains(status) ? .taken : .refused
            case .failed(.timeout): .timeout
            case .failed(.forbiddenAddress): .forbiddenAddress
            case .failed: .unreachable
            }
    }
}
