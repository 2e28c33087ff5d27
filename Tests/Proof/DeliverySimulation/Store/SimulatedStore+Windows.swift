import GatewayModel
import GatewayStorage

/// Open windows.
extension SimulatedStore {
    /// Returns a consumer's own name.
    func name(of consumer: Int64) -> ConsumerName {
        let consumer = consumers[Int(consumer) - 1]
        return ConsumerName(brand: consumer.brand, consumer: consumer.id)
    }

    /// Returns the messages that a newly opened window reads.
    func messages(of name: ConsumerName) -> Set<MessageID> {
        Set(deliveries.compactMap { $0.message }.filter { $0.consumer == name.consumer }.map(\.id))
    }
}
