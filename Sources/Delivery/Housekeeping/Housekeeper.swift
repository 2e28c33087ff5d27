import CoreMetrics
package import GatewayModel
package import GatewayStorage
package import Logging
import ServiceLifecycle
import Synchronization
package import Telemetry

/// Deletes what has expired or is old enough, in small batches that leave the writer to events; while the clock may be
/// wrong, only what somebody has deleted.
///
/// ``run()`` works until the service group stops it; any thread may ask for a single pass.
package final class Housekeeper: Service, Sendable {
    private let store: any HousekeepingStore
    private let delivery: DeliveryService?
    private let brands: @Sendable () -> [Brand]
    private let settings: HousekeepingSettings
    private let clock: any GatewayClock
    private let keeper: ClockKeeper?
    private let metrics: HousekeepingMetrics
    private let logger: Logger
    private let state = Mutex(State())

    private struct State {
        var sizes: [HousekeepingLabel: HousekeepingBatchSize] = [:]
        /// The kinds of work whose last pass failed; the failure was logged.
        var failed: Set<HousekeepingLabel> = []
    }

    /// Creates a housekeeper; nothing is done before ``run()``.
    ///
    /// `delivery` ends registrations of devices that were not seen for long; nil ends none. `brands` returns all brands
    /// as they are now, with their retention; it is called on any thread. `keeper` knows whether the clock may be
    /// wrong; nil trusts it.
    package init(
        store: any HousekeepingStore,
        delivery: DeliveryService? = nil,
        brands: @escaping @Sendable () -> [Brand],
        settings: HousekeepingSettings,
        clock: any GatewayClock,
        keeper: ClockKeeper? = nil,
        metrics: HousekeepingMetrics,
        logger: Logger
    ) {
        self.store = store
        self.delivery = delivery
        self.brands = brands
        self.settings = settings
        self.clock = clock
        self.keeper = keeper
        self.metrics = metrics
        self.logger = logger
    }

    /// Runs passes until the service group shuts down; a batch that has begun is finished.
    ///
    /// The first pass starts a moment after the process, which first has the lanes' backlogs to send.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    await self.repeatedly(every: self.settings.expiredInterval) {
                        await self.sweepExpired()
                        await self.removeErased()
                        await self.endDeletedApps()
                    }
                }
                group.addTask { await self.repeatedly(every: self.settings.interval) { await self.keepRetention() } }
            }
        }
    }

    /// Runs one pass over deliveries that have expired.
    package func sweepExpired() async { await pass(.expired, .expired) }

    /// Runs one pass over the data of erased consumers.
    package func removeErased() async { await pass(.erasures, .erasures) }

    /// Runs one pass over the data of deleted apps.
    package func endDeletedApps() async { await pass(.deletedApps, .deletedApps) }

    /// Runs one pass over everything that has a retention time.
    package func keepRetention() async {
        let works = HousekeepingPlan.works(
            brands: brands(),
            maxRetentionDays: settings.maxRetentionDays,
            auditRetentionDays: settings.auditRetentionDays,
            now: clock.now
        )
        for (kind, work) in works where !Task.isCancelled { await pass(kind, work) }
        await endStaleDevices()
    }

    /// Ends registrations of devices that were not seen for as long as their brands keep them: in turns of the delivery
    /// core, whose lanes may have pushes for them.
    private func endStaleDevices() async {
        guard let delivery, keeper?.isGuarded != true else { return }
        for brand in brands() where !Task.isCancelled {
            let since = clock.now.adding(seconds: -brand.settings.staleDeviceDays * 86_400)
            var isThrough = false
            while !isThrough, !Task.isCancelled {
                let stale = StaleDevices(brand: brand.id, notSeenSince: since, limit: Self.staleDevicesPerTurn)
                let start = clock.monotonicNanoseconds
                // The core logs errors of the store; the next pass tries again.
                guard case .unregistered(let change)? = try? await delivery.perform(.endStale(stale)) else { return }
                metrics.removed[.staleDevices].increment(by: change.ended.count)
                isThrough = change.ended.count < stale.limit
                let took = clock.monotonicNanoseconds - start
                if !isThrough, (try? await Task.sleep(for: .nanoseconds(Int64(clamping: took)))) == nil { return }
            }
        }
    }

    /// The number of registrations that end in one turn: about 5 ms.
    private static let staleDevicesPerTurn = 100

    private func repeatedly(every interval: Duration, _ pass: @Sendable () async -> Void) async {
        var pause = min(interval, settings.expiredInterval)
        while (try? await Task.sleep(for: pause)) != nil {
            await pass()
            pause = interval
        }
    }

    private func pass(_ kind: HousekeepingLabel, _ work: HousekeepingBatch.Work) async {
        guard !work.isByTime || keeper?.isGuarded != true else { return }
        var removed = 0
        do throws(StorageError) {
            var batch = HousekeepingBatch(work: work, now: clock.now, limit: 1)
            repeat {
                batch.limit = state.withLock { $0.sizes[kind, default: settings.batchSize].limit }
                let start = clock.monotonicNanoseconds
                let progress = try await store.runHousekeeping(batch)
                let took = clock.monotonicNanoseconds - start
                removed += progress.removed
                note(kind, progress)
                batch.position = progress.next
                guard progress.next != nil else { break }
                // A pause as long as the batch, for the events that waited for it. Throws when the task is to stop.
                guard (try? await Task.sleep(for: .nanoseconds(Int64(clamping: took)))) != nil else { break }
            } while !Task.isCancelled
        } catch {
            failed(kind, error)
            return
        }
        succeeded(kind, removed: removed)
    }

    private func note(_ kind: HousekeepingLabel, _ progress: HousekeepingProgress) {
        metrics.removed[kind].increment(by: progress.removed)
        guard progress.heldMilliseconds > 0 else { return }
        metrics.held.recordNanoseconds(Int64(progress.heldMilliseconds * 1_000_000))
        state.withLock {
            $0.sizes[kind, default: settings.batchSize].measured(
                removed: progress.removed,
                heldMilliseconds: progress.heldMilliseconds
            )
        }
    }

    /// Logs the first failure of a kind of work, which is retried at the next pass; the delivery core logs errors of
    /// the store.
    private func failed(_ kind: HousekeepingLabel, _ error: StorageError) {
        guard error != .closed, state.withLock({ $0.failed.insert(kind).inserted }) else { return }
        logger.warning(
            "housekeeping failed; trying again at the next pass",
            metadata: [
                LogKey.housekeepingKind: "\(kind.rawValue)", LogKey.errorCode: "\(error.label)",
                LogKey.errorText: "\(error.text)",
            ]
        )
    }

    private func succeeded(_ kind: HousekeepingLabel, removed: Int) {
        if state.withLock({ $0.failed.remove(kind) }) != nil {
            logger.notice("housekeeping works again", metadata: [LogKey.housekeepingKind: "\(kind.rawValue)"])
        }
        guard removed > 0 else { return }
        logger.debug(
            "housekeeping removed rows",
            metadata: [LogKey.housekeepingKind: "\(kind.rawValue)", LogKey.count: "\(removed)"]
        )
    }
}
