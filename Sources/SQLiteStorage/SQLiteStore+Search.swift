package import GatewayModel
package import GatewayStorage
import TurnRules

extension SQLiteStore {
    /// Runs on the writer's queue, whose memory has the buckets in which the id may be; nothing is written.
    package func message(
        ofEvent id: EventID,
        source: String,
        consumer: ConsumerID,
        brand: BrandID,
        now: Timestamp
    ) async throws(StorageError) -> MessageID? {
        try await write { writer in
            guard let key = try writer.brandKey(brand) else { return nil }
            var event = AgentEvent(id: id, type: .agentMessage, consumer: consumer)
            event.source = source
            let known = try writer.consumer(BrandedName(brand: key, id: consumer.rawValue))
            let name = EventKey(event, of: known, brand: key, at: now)
            let first = try writer.firstArrival(
                of: name,
                Replay(name, of: name.consumer),
                hours: AcceptRequest.allDedupeHours
            )
            return try first?.message.flatMap { try writer.accepted($0) }?.messageID
        }
    }
}
