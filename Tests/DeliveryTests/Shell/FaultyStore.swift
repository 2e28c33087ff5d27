import GatewayModel
import GatewayStorage
import Synchronization

/// A real store whose commits and housekeeping fail or wait when a test wants it; ``base`` is the store itself.
final class FaultyStore: TurnStore, HealthStore, HousekeepingStore {
    /// The decision about a commit: throwing fails it, returning lets it through.
    typealias Judge = @Sendable (WriterTurn) async throws(StorageError) -> Void

    let base: any GatewayStore
    private let judge = Mutex<Judge?>(nil)
    private let probeFault = Mutex<StorageError?>(nil)

    /// The decision about a batch of housekeeping, in the same way.
    typealias HousekeepingJudge = @Sendable (HousekeepingBatch) async throws(StorageError) -> Void

    private let housekeepingJudge = Mutex<HousekeepingJudge?>(nil)

    init(_ base: any GatewayStore) { self.base = base }

    func judgeCommits(_ judge: Judge?) { self.judge.withLock { $0 = judge } }

    private let damageListeners = Mutex<[@Sendable (StorageError) -> Void]>([])

    func onDamage(_ listener: @escaping @Sendable (StorageError) -> Void) {
        damageListeners.withLock { $0.append(listener) }
    }

    /// Notifies the listeners as a real store does when a call finds damage.
    func meetDamage(_ error: StorageError) { for listener in damageListeners.withLock({ $0 }) { listener(error) } }

    func failProbes(_ error: StorageError?) { probeFault.withLock { $0 = error } }
    func judgeHousekeeping(_ judge: HousekeepingJudge?) { housekeepingJudge.withLock { $0 = judge } }

    func begin(
        now: Timestamp,
        quietUntil: @escaping QuietUntil
    ) async throws(StorageError) -> IncarnationStart {
        try await base.begin(now: now, quietUntil: quietUntil)
    }

    func commit(_ turn: WriterTurn) async throws(StorageError) -> WriterTurnResult {
        if let judge = judge.withLock({ $0 }) { try await judge(turn) }
        return try await base.commit(turn)
    }

    func unfinishedPushes() async throws(StorageError) -> (count: Int, oldest: Timestamp?) {
        try await base.unfinishedPushes()
    }
    func probe() async throws(StorageError) { try await base.probe() }

    func probeWriting() async throws(StorageError) {
        if let error = probeFault.withLock({ $0 }) { throw error }
        try await base.probeWriting()
    }

    func runHousekeeping(_ batch: HousekeepingBatch) async throws(StorageError) -> HousekeepingProgress {
        if let judge = housekeepingJudge.withLock({ $0 }) { try await judge(batch) }
        return try await base.runHousekeeping(batch)
    }
}
