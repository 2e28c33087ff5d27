package import GatewayModel
package import GatewayStorage

extension SQLiteStore {
    package func deliveryStats(
        brand: BrandID,
        window: StatsWindow,
        now: Timestamp
    ) async throws(StorageError) -> DeliveryStats {
        try await read { reader in
            try LogStats(reader, brand: brand)?.stats(window, now: now) ?? DeliveryStats()
        }
    }

    package func campaign(brand: BrandID, id: CampaignID) async throws(StorageError) -> CampaignStats? {
        try await read { reader in
            try LogStats(reader, brand: brand)?.campaign(id)
        }
    }

    package func campaigns(
        brand: BrandID,
        before: Int64?,
        limit: Int
    ) async throws(StorageError) -> [CampaignStats] {
        try await read { reader in
            try LogStats(reader, brand: brand)?.campaigns(before: before, limit: limit) ?? []
        }
    }
}
