import GatewayStorage
import Identity

/// Does what it is asked and then says that it does not know.
struct UncertainWriter: SessionWriter {
    let real: StoreWriter

    func perform(_ change: StoreChange) async throws(StorageError) -> StoreChangeResult {
        _ = try await real.perform(change)
        throw .unavailable(detail: "no answer")
    }
}
