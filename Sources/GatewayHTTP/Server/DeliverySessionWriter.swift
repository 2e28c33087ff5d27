internal import Delivery
internal import GatewayStorage
internal import Identity

/// Stores sessions through the delivery core's writer, so that sessions and registrations change in one order.
struct DeliverySessionWriter: SessionWriter {
    private let delivery: DeliveryService

    /// Creates a writer for a delivery core.
    init(delivery: DeliveryService) { self.delivery = delivery }

    /// Applies one change in the writer's next transaction.
    ///
    /// - Parameter change: The change.
    /// - Returns: The result of the change, once it is on disk.
    /// - Throws: `StorageError`: the store's own, `closed` when the core is stopping, `unavailable` when the queue is
    ///   full or the core has a fault.
    func perform(_ change: StoreChange) async throws(StorageError) -> StoreChangeResult {
        do {
            return try await delivery.perform(change)
        } catch {
            switch error {
            case .storage(let error): throw error
            case .overloaded: throw .unavailable(detail: "the delivery core's queue is full")
            case .fault: throw .unavailable(detail: "the host has a fault")
            case .stopping: throw .closed
            }
        }
    }
}
