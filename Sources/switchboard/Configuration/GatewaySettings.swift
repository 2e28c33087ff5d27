import Configuration
import Delivery
import Logging
import Telemetry

/// All settings with their defaults.
struct GatewaySettings: Equatable {
    /// Listening address and files.
    var server = ServerSettings()
    /// The location and limits of the store.
    var storage = StorageSettings()
    /// Outgoing connections.
    var provider = ProviderSettings()
    /// Intake and lanes.
    var delivery = DeliverySettings()
    /// Retention periods.
    var housekeeping = HousekeepingSettings()
    /// Requests to addresses that tenants configure.
    var outgoing = OutgoingSettings()
    /// Messaging windows.
    var window = WindowSettings()
    /// Log lines.
    var log = LogSettings()
    /// The metrics' own listener.
    var metrics = MetricsSettings()

    /// The defaults.
    init() {}

    /// Reads and checks all settings.
    ///
    /// - Parameter config: Flags, environment and file, in this order.
    /// - Throws: ``SettingsError``.
    init(config: ConfigReader) async throws {
        server = try await ServerSettings(config: config)
        storage = try await StorageSettings(config: config)
        provider = try await ProviderSettings(config: config)
        delivery = try await DeliverySettings(config: config)
        housekeeping = try await HousekeepingSettings(config: config)
        outgoing = try await OutgoingSettings(config: config)
        window = try await WindowSettings(config: config)
        log = try await LogSettings(config: config)
        metrics = try await MetricsSettings(config: config)
    }
}
