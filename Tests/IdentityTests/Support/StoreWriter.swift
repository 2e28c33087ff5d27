import GatewayModel
import GatewayStorage
import Identity

/// Stands in for the delivery core: one change, one turn.
struct StoreWriter: SessionWriter {
    let store: any GatewayStore
    let clock: any GatewayClock
    let incarnation: IncarnationID

    func perform(_ change: StoreChange) async throws(SessionWriteFailure) -> StoreChangeResult {
        var turn = WriterTurn(now: clock.now, incarnation: incarnation)
        turn.changes = [change]
        let result: WriterTurnResult
        do { result = try await store.commit(turn) } catch { throw SessionWriteFailure(error, mayBeDone: true) }
        guard let first = result.changes.first else {
            throw SessionWriteFailure(.unavailable(detail: "no result"), mayBeDone: true)
        }
        return first
    }
}
