import GatewayModel
import GatewayStorage
import Identity

/// A writer in place of the delivery core: each change is its own transaction.
struct StoreWriter: SessionWriter {
    let store: any TurnStore
    let clock: any GatewayClock
    let incarnation: IncarnationID

    func perform(_ change: StoreChange) async throws(StorageError) -> StoreChangeResult {
        var turn = WriterTurn(now: clock.now, incarnation: incarnation)
        turn.changes = [change]
        guard let first = try await store.commit(turn).changes.first else { throw .unavailable(detail: "no result") }
        return first
    }
}
