import GatewayModel
import GatewayStorage
import Identity

/// Stands in for the delivery core: one change, one turn.
struct StoreWriter: SessionWriter {
    let store: any GatewayStore
    let clock: any GatewayClock
    let incarnation: IncarnationID

    func perform(_ change: StoreChange) async throws(StorageError) -> StoreChangeResult {
        var turn = WriterTurn(now: clock.now, incarnation: incarnation)
        turn.changes = [change]
        let result = try await store.commit(turn)
        guard let first = result.changes.first else { throw .unavailable(detail: "no result") }
        return first
    }
}
