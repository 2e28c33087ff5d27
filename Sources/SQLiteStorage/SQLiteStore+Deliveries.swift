package import GatewayModel
package import GatewayStorage
import SQLStorage

extension SQLiteStore {
    package func deliveries(_ query: DeliveryQuery) async throws(StorageError) -> DeliveryPage {
        try await read { reader in
            try DeliverySearch(query, reader)?.page() ?? DeliveryPage(items: [], next: nil)
        }
    }

    /// Runs the turn's own rules on the writer's queue, and rolls back.
    package func rehearse(
        _ requests: [RetryRequest],
        now: Timestamp
    ) async throws(StorageError) -> [StoreChangeResult] {
        try await onWriter { db in
            // With a memory of its own: a transaction that is rolled back would empty the writer's.
            try Writer(db, memoryBytes: 1 << 20).rehearse(requests, now: now)
        }
    }

    package func delivery(brand: BrandID, id: DeliveryID) async throws(StorageError) -> DeliveryDetail? {
        try await read { reader in
            let rows = DeliveryRows(reader)
            guard let key = try reader.brandKey(brand), try rows.brand(id.rawValue) == key,
                let record = try rows.record(id.rawValue)
            else { return nil }
            var attempts = try rows.attempts(id.rawValue)
            // A delivery that was tried once has its only attempt in its own row.
            if attempts.isEmpty, let sentAt = record.sentAt, let status = record.status {
                attempts = [
                    DeliveryAttempt(
                        number: 1,
                        sentAt: sentAt,
                        status: status,
                        reason: record.reason,
                        latencyMilliseconds: record.latencyMilliseconds ?? 0
                    )
                ]
            }
            return DeliveryDetail(record: record, attempts: attempts)
        }
    }
}
