package import GatewayModel
package import TurnRules

/// The erasure of consumers.
///
/// One transaction deletes the rows that lead to a consumer: its own and those of consumers merged into it, its
/// sessions, and its registrations with their waiting deliveries. From then on no lookup finds it, and its id is free.
/// Housekeeping removes the rows that reference its key afterwards, in small batches; `erasures` records the remaining
/// work.
extension TurnRows where Self: SQLTransaction {
    package func erase(_ consumer: KnownConsumer, of brand: BrandID) throws {
        try db.prepare(
            """
            INSERT INTO erasures (consumer, brand, id, outbound_next, outbound_through) \
            SELECT key, brand, id, 0, ?2 FROM consumers WHERE key = ?1 OR merged_into = ?1
            """
        ).int(consumer.key).int(try db.outboundEnds(consumer.name.brand).end).run()
        try db.prepare(
            """
            DELETE FROM former_devices \
            WHERE consumer IN (SELECT key FROM consumers WHERE key = ?1 OR merged_into = ?1)
            """
        ).int(consumer.key).run()
        try db.prepare("DELETE FROM consumers WHERE key = ?1 OR merged_into = ?1").int(consumer.key).run()
        forget(consumer, mergedInto: nil)
    }
}
