package import Delivery
package import GatewayStorage
internal import Identity

/// Makes sessions durable through the delivery core's writer, so that sessions and registrations change in one order.
package struct DeliverySessionWriter: SessionWriter {
    private let delivery: DeliveryService

    /// Writes through a delivery core.
    ///
    /// - Parameter delivery: The core.
    package init(delivery: DeliveryService) { self.delivery = delivery }

    /// Does one change in the writer's next turn.
    ///
    /// - Parameter change: The change.
    /// - Returns: What it did, once it is on disk.
    /// - Throws: `StorageError`: the store's own, `closed` when the core is stopping, `unavailable` when too much waits
    ///   already or the core has a fault.
    package func perform(_ change: StoreChange) async throws(StorageError) -> StoreChangeResult {
        do {
            return try await delivery.perform(change)
        } catch {
            switch error {
            case .storage(let error): throw error
            case .overloaded: throw .unavailable(detail: "too much is waiting already")
            case .fault: throw .unavailable(detail: "the machine has a fault")
            case .stopping: throw .closed
            }
        }
    }
}
