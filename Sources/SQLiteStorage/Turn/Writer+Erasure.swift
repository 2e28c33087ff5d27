import GatewayModel
import GatewayStorage
import TurnRules

/// The erasure of consumers.
///
/// One transaction deletes the rows that lead to a consumer: its own and those of consumers merged into it, its
/// sessions, and its registrations with their waiting deliveries. From then on no lookup finds it, and its id is free.
/// Housekeeping removes the rows that reference its key afterwards, in small batches; `erasures` records the remaining
/// work.
extension Writer {
    func erase(_ consumer: KnownConsumer, of brand: BrandID) throws {
        if try endSessions(of: consumer.key) > 0 { noteEnd(brand, ConsumerID(trusted: consumer.name.id)) }
        try db.prepare(
            """
            INSERT INTO erasures (consumer, brand, id, outbound_next, outbound_through) \
            SELECT key, brand, id, 0, ?2 FROM consumers WHERE key = ?1 OR merged_into = ?1
            """
        ).int(consumer.key).int(try outboundEnd(consumer.name.brand)).run()
        try db.prepare(
            """
            DELETE FROM former_devices \
            WHERE consumer IN (SELECT key FROM consumers WHERE key = ?1 OR merged_into = ?1)
            """
        ).int(consumer.key).run()
        try db.prepare("DELETE FROM consumers WHERE key = ?1 OR merged_into = ?1").int(consumer.key).run()
        memory.consumers.remove(consumer.name)
        memory.registrations.remove(consumer.key)
    }

    /// Renames a conversation whose consumer is being erased, so that its name is free; false when the consumer exists.
    func releaseErased(conversation: Int64, of consumer: Int64) throws -> Bool {
        let owner = try db.prepare("SELECT 1 FROM consumers WHERE key = ?").int(consumer)
        guard try !owner.next() else {
            owner.end()
            return false
        }
        // No id contains this character.
        try db.prepare("UPDATE conversations SET id = ? WHERE key = ?").text("\u{1F}\(conversation)").int(conversation)
            .run()
        return true
    }
}
