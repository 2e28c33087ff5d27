import CoreMetrics
package import GatewayModel
package import GatewayStorage
internal import GuardedHTTP
package import Logging
import ServiceLifecycle
import Synchronization
package import Telemetry

/// Posts each brand's items to its webhook, and consumers' messages to the helpdesks of its hooks, with one task for
/// each receiver: none waits for another.
///
/// ``run()`` posts until the service group stops it. What is in flight at that time is posted again at the next start,
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
    /// Rung when a brand has new items; the tasks of its receivers wait for it.
    private let notifier = FeedNotifier(limit: .max, limitPerBrand: .max)
    /// Rung when a brand's settings changed or a mark was set back; the tasks of its receivers wait for it.
    private let changes = FeedNotifier(limit: .max, limitPerBrand: .max)
    private let looks = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let standings = Mutex<[OutboundReceiver: Standing]>([:])

    private struct Standing {
        var lag: Int64 = 0
        var condition = WebhookConditionLabel.working
        /// The failed attempts in a row.
        var attempts = 0
    }

    /// Creates the service; posting begins with ``run()``.
    ///
    /// - Parameters:
    ///   - store: The store of items and marks.
    ///   - directory: The brands' receivers.
    ///   - makeSender: Creates a receiver's sender.
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

    /// Signals that receivers were added, removed or changed, or that a mark was set back.
    ///
    /// Thread-safe and cheap.
    package func changed() {
        let receivers = directory.receivers + standings.withLock { Array($0.keys) }
        for brand in Set(receivers.map(\.brand)) { changes.notify(brand) }
        looks.continuation.yield()
    }

    /// The receivers that fail, as conditions for operators, in order.
    package var failures: [OperatorCondition] {
        standings.withLock { $0 }
            .sorted { ($0.key.brand, $0.key.hook?.rawValue ?? "") < ($1.key.brand, $1.key.hook?.rawValue ?? "") }
            .compactMap { receiver, standing in
                OperatorCondition(
                    receiver,
                    failedAttempts: standing.attempts,
                    isOff: standing.condition == .off
                )
            }
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
        for receiver in directory.receivers {
            let isNew = standings.withLock { standings in
                guard standings[receiver] == nil else { return false }
                standings[receiver] = Standing()
                return true
            }
            guard isNew else { continue }
            group.addTask {
                let sender = self.makeSender()
                await self.work(receiver, sender)
                await sender.close()
                self.standings.withLock { $0[receiver] = nil }
                self.recordStandings()
                // The receiver may have been set again while this task ended.
                self.looks.continuation.yield()
            }
        }
    }

    /// Posts one receiver's items until there is no such receiver.
    private func work(_ receiver: OutboundReceiver, _ sender: HTTPWebhookSender) async {
        let brand = receiver.brand
        // The last skipped position, which is not stored for each item; it belongs to one revision.
        var skipped: (revision: Int64, through: Int64) = (0, 0)
        // The store has new settings a moment before the directory: an attempt in between still uses the old ones.
        var used: (any OutboundTarget)?
        while !Task.isCancelled {
            let (lastNotification, changed) = (notifier.lastNotification(brand), changes.lastNotification(brand))
            guard let target = directory.target(of: receiver) else { return }
            do throws(StorageError) {
                guard let state = try await store.webhookState(of: receiver) else { return }
                var machine = WebhookMachine(state)
                if let old = used, !target.hasSettings(of: old) { machine.settingsChanged() }
                if skipped.revision != state.revision { skipped = (state.revision, 0) }
                switch machine.step(now: clock.now) {
                case .off:
                    note(receiver, .off, attempts: state.attempts, lag: nil)
                    _ = await changes.wait(brand, after: changed, atMost: nil)
                case .wait(let until):
                    // Also the first thing after a start in an outage.
                    note(receiver, .failing, attempts: state.attempts, lag: nil)
                    let left = max(until.milliseconds - clock.now.milliseconds, 1)
                    _ = await changes.wait(brand, after: changed, atMost: .milliseconds(min(left, 60_000)))
                case .collect(let after):
                    let page = try await read(target, after: max(after, skipped.through))
                    note(receiver, .working, attempts: 0, lag: page.end - page.nextAfter)
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
                    _ = try await store.putWebhookState(machine.state, of: receiver)
                case .send(let after, let through):
                    used = target
                    try await send(receiver, target, machine, after: after, through: through, sender)
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

    /// Reads items that the target takes, at most as many as one request has.
    private func read(
        _ target: any OutboundTarget,
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
        var page = try await store.outbound(query)
        var taken: [OutboundItem] = []
        for item in page.items where taken.count < target.maxItems && target.takes(item) { taken.append(item) }
        // Behind the last one of a full request there may be others.
        if taken.count == target.maxItems, let last = taken.last, last.position != page.items.last?.position {
            page.nextAfter = last.position
            page.isWhole = false
        }
        page.items = taken
        return page
    }

    private func send(
        _ receiver: OutboundReceiver,
        _ target: any OutboundTarget,
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
            _ = try await store.putWebhookState(machine.state, of: receiver)
            return
        }
        let response = await sender.post(
            page.items,
            hasGap: after < page.removedThrough,
            to: target,
            attempt: machine.state.attempts,
            at: clock.now
        )
        // The gateway stops: a response that it did not read is not the receiver's error.
        if Task.isCancelled, case .failed = response { return }
        let before = machine.state
        machine.ended(response, through: passed, now: clock.now, jitter: .random(in: 0...1))
        log(response, before, machine.state, receiver)
        if machine.state.attempts == 0 {
            // The next request's last position is stored together with the mark: one write for each request.
            let next = try await read(target, after: passed)
            machine.collected(next)
            note(receiver, .working, attempts: 0, lag: page.end - passed)
        } else {
            let condition = machine.state.isSwitchedOff ? WebhookConditionLabel.off : .failing
            note(receiver, condition, attempts: machine.state.attempts, lag: page.end - after)
        }
        _ = try await store.putWebhookState(machine.state, of: receiver)
    }

    private func log(
        _ response: WebhookAttemptResult,
        _ before: WebhookState,
        _ state: WebhookState,
        _ receiver: OutboundReceiver
    ) {
        metrics(of: receiver).posts[WebhookResultLabel(response)].increment()
        let isReply = receiver.hook != nil
        var metadata: Logger.Metadata = [LogKey.brand: "\(receiver.brand)"]
        if let hook = receiver.hook { metadata[LogKey.hook] = "\(hook)" }
        if state.isSwitchedOff {
            logger.warning(
                "webhook receiver responded with 410; nothing is posted until the webhook is set again",
                metadata: metadata
            )
            return
        }
        metadata[LogKey.errorCode] = state.lastError.map { "\($0)" }
        metadata[LogKey.status] = "\(state.lastStatus ?? 0)"
        // One log line for each outage, and for messages that are skipped in a row, not for each of them.
        if state.attempts == 1 {
            logger.warning(
                isReply
                    ? "reply of a hook failed; the message is kept and posted again"
                    : "webhook attempt failed; its items are kept and posted again",
                metadata: metadata
            )
        } else if case .rejected = response, before.lastError != state.lastError {
            logger.warning("reply of a hook was refused for good; the message is skipped", metadata: metadata)
        } else if state.attempts == 0, before.attempts > 0 {
            logger.notice(isReply ? "replies of a hook work again" : "webhook works again", metadata: metadata)
        }
    }

    // MARK: States

    private func metrics(of receiver: OutboundReceiver) -> ReceiverMetrics {
        receiver.hook == nil ? metrics.webhooks : metrics.replies
    }

    private func note(_ receiver: OutboundReceiver, _ condition: WebhookConditionLabel, attempts: Int, lag: Int64?) {
        standings.withLock { standings in
            guard var standing = standings[receiver] else { return }
            standing.condition = condition
            standing.attempts = attempts
            if let lag { standing.lag = lag }
            standings[receiver] = standing
        }
        recordStandings()
    }

    private func recordStandings() {
        let all = standings.withLock { $0 }
        for (isReply, metrics) in [(false, metrics.webhooks), (true, metrics.replies)] {
            let standings = all.filter { ($0.key.hook != nil) == isReply }.values
            metrics.record(standings.map(\.condition), lag: standings.reduce(0) { max($0, $1.lag) })
        }
    }
}

extension WebhookResultLabel {
    /// Creates the label of a result.
    init(_ response: WebhookAttemptResult) {
        self =
            switch response {
            case .responded(let status, _): (200...299).contains(status) ? .taken : .refused
            case .rejected: .skipped
            case .failed(.timeout): .timeout
            case .failed(.forbiddenAddress): .forbiddenAddress
            case .failed: .unreachable
            }
    }
}
