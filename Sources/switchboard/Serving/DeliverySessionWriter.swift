import Delivery
import GatewayStorage
import Identity

/// Lets sessions write in the delivery core's turns, so that a logout withdraws pushes in the same transaction.
struct DeliverySessionWriter: SessionWriter {
    let delivery: DeliveryService

    func perform(_ change: StoreChange) async throws(StorageError) -> StoreChangeResult {
        do {
            return try await delivery.perform(change)
        } catch {
            switch error {
            case .storage(let error): throw error
            case .stopping: throw .closed
            case .overloaded: throw .unavailable(detail: "too many changes are waiting")
            }
        }
    }
}
