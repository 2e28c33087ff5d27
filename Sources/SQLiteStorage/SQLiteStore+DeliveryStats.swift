import GRDB
package import GatewayModel
package import GatewayStorage

extension SQLiteStore {
    package func deliveryStats(
        brand: BrandID,
        window: StatsWindow,
        now: Timestamp
    ) async throws(StorageError) -> DeliveryStats {
        try await read { db in
            guard let handle = db.sqliteConnection else { throw StorageError.closed }
            return try LogStats(handle, brand: brand)?.stats(window, now: now) ?? DeliveryStats()
        }
    }

    package func campaign(brand: BrandID, id: CampaignID) async throws(StorageError) -> CampaignStats? {
        try await read { db in
            guard let handle = db.sqliteConnection else { throw StorageError.closed }
            return try LogStats(handle, brand: brand)?.campaign(id)
        }
    }

    package func campaigns(
        brand: BrandID,
        before: Int64?,
        limit: Int
    ) async throws(StorageError) -> [CampaignStats] {
        try await read { db in
            guard let handle = db.sqliteConnection else { throw StorageError.closed }
            return try LogStats(handle, brand: brand)?.campaigns(before: before, limit: limit) ?? []
        }
    }
}
