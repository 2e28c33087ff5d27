internal import Delivery
internal import GatewayModel
internal import GatewayStorage
internal import Identity

extension Call {
    /// Reads from the store.
    func read<Value: Sendable>(
        _ body: (any RouteStore) async throws(StorageError) -> Value
    ) async throws(Problem) -> Value {
        do { return try await body(services.store) } catch { throw Problem(error) }
    }

    /// Returns a consumer, also by the id of one that was merged into it; nil when there is none.
    func consumer(_ id: ConsumerID, of brand: BrandID) async throws(Problem) -> StoredConsumer? {
        try await read { store throws(StorageError) in try await store.consumer(brand: brand, id: id) }
    }

    /// Submits a change.
    func perform(_ change: StoreChange) async throws(Problem) -> StoreChangeResult {
        do { return try await services.delivery.perform(change) } catch { throw Problem(error) }
    }

    /// Submits an administrative change.
    func administer<Value: Sendable>(
        _ body: (Directory) async throws(DirectoryError) -> Value
    ) async throws(Problem) -> Value {
        do { return try await body(services.directory) } catch { throw Problem(error) }
    }
}
