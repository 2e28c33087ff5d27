import GatewayStorage
import Identity

/// A writer that applies the change and then reports that the result is unknown.
struct UncertainWriter: SessionWriter {
    let real: StoreWriter

    func perform(_ change: StoreChange) async throws(StorageError) -> StoreChangeResult {
        _ = try await real.perform(change)
        throw .unavailable(detail: "no response")
    }
}
