import Configuration
import Delivery

extension HousekeepingSettings {
    /// Reads and checks the settings of housekeeping; throws ``SettingsError``.
    ///
    /// - `retention.days` (days, 1 to 3,650; default none: each brand's own `retentionDays`)
    /// - `retention.auditDays` (days, 365 to 3,650; default 365)
    init(config: ConfigReader) async throws {
        self.init()
        let reader = SettingsReader(config: config)
        auditRetentionDays = try await reader.integer(.retentionAuditDays, in: 365...3650, default: auditRetentionDays)
        guard try await reader.text(.retentionDays) != nil else { return }
        maxRetentionDays = try await reader.integer(.retentionDays, in: 1...3650, default: 3650)
    }
}
