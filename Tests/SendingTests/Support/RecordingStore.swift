import GatewayModel
import GatewayStorage
import StorageContract

/// A real store that reports the recorded results of pushes once they are committed.
final class RecordingStore: ForwardingStore {
    let outcomes = EventRecorder<OutcomeRecord>()
    let base: any GatewayStore

    init(_ base: any GatewayStore) { self.base = base }

    func commit(_ turn: WriterTurn) async throws(StorageError) -> WriterTurnResult {
        let result = try await base.commit(turn)
        outcomes.add(turn.outcomes)
        return result
    }
}
