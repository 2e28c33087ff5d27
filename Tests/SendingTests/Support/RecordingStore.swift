import GatewayModel
import GatewayStorage

/// A real store that reports the recorded results of pushes once they are committed.
final class RecordingStore: TurnStore, HealthStore {
    let outcomes = EventRecorder<OutcomeRecord>()
    let base: any GatewayStore

    init(_ base: any GatewayStore) { self.base = base }

    func commit(_ turn: WriterTurn) async throws(StorageError) -> WriterTurnResult {
        let result = try await base.commit(turn)
        outcomes.add(turn.outcomes)
        return result
    }

    func begin(
        now: Timestamp,
        quietUntil: @escaping QuietUntil
    ) async throws(StorageError) -> IncarnationStart {
        try await base.begin(now: now, quietUntil: quietUntil)
    }

    func unfinishedPushes() async throws(StorageError) -> (count: Int, oldest: Timestamp?) {
        try await base.unfinishedPushes()
    }
    func probe() async throws(StorageError) { try await base.probe() }
    func probeWriting() async throws(StorageError) { try await base.probeWriting() }
    func onDamage(_ listener: @escaping @Sendable (StorageError) -> Void) { base.onDamage(listener) }
}
