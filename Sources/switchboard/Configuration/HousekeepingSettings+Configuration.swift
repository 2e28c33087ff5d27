import Configuration
import Delivery

extension HousekeepingSettings {
    /// Reads and checks the settings of housekeeping.
    ///
    /// - `retention.days` (days, 1 to 3,650; default none: each brand's own `retentionDays`)
    ///
    /// - Parameter config: Flags, environment and file.
    /// - Throws: ``SettingsError``.
    init(config: ConfigReader) async throws {
        self.init()
        let reader = SettingsReader(config: config)
        guard try await reader.text(.retentionDays) != nil else { return }
        maxRetentionDays = try await reader.integer(.retentionDays, in: 1...3650, default: 3650)
    }
}
