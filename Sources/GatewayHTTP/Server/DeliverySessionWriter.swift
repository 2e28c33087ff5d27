package import Delivery
package import GatewayStorage
package import Identity

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
    /// - Throws: `SessionWriteFailure`; one that is not done when the core is stopping or too much waits already.
    package func perform(_ change: StoreChange) async throws(SessionWriteFailure) -> StoreChangeResult {
        do {
            return try await delivery.perform(change)
        } catch {
            switch error {
            case .storage(let error): throw SessionWriteFailure(error, mayBeDone: true)
            case .overloaded: throw Self.notTaken(.unavailable(detail: "too much is waiting already"))
            case .fault: throw Self.notTaken(.unavailable(detail: "the machine has a fault"))
            case .stopping: throw Self.notTaken(.closed)
            }
        }
    }

    private static func notTaken(_ error: StorageError) -> SessionWriteFailure {
        SessionWriteFailure(error, mayBeDone: false)
    }
}
