import Configuration
import Delivery
import Logging
import Telemetry

/// All settings with their defaults.
package struct GatewaySettings: Equatable, Sendable {
    /// Listening address and files.
    package var server = ServerSettings()
    /// The location and limits of the store.
    package var storage = StorageSettings()
    /// Outgoing connections.
    var provider = ProviderSettings()
    /// Intake and lanes.
    var delivery = DeliverySettings()
    /// Retention periods.
    var housekeeping = HousekeepingSettings()
    /// Requests to addresses that tenants configure.
    var outgoing = OutgoingSettings()
    /// The webhook for operator events and the sign-in of operators.
    var operators = OperatorSettings()
    /// Messaging windows.
    var window = WindowSettings()
    /// Log lines.
    package var log = LogSettings()
    /// The metrics' own listener.
    var metrics = MetricsSettings()
    /// Traces.
    var telemetry = TelemetrySettings()

    /// The defaults.
    init() {}

    /// Reads and checks all settings from flags, environment and file, in this order; throws ``SettingsError``.
    init(config: ConfigReader) async throws {
        server = try await ServerSettings(config: config)
        storage = try await StorageSettings(config: config)
        provider = try await ProviderSettings(config: config)
        delivery = try await DeliverySettings(config: config)
        housekeeping = try await HousekeepingSettings(config: config)
        outgoing = try await OutgoingSettings(config: config)
        operators = try await OperatorSettings(config: config)
        window = try await WindowSettings(config: config)
        log = try await LogSettings(config: config)
        metrics = try await MetricsSettings(config: config)
        telemetry = try await TelemetrySettings(config: config)
    }

    /// Returns the parts of later settings that differ from these and need a restart to apply: sections, or keys if
    /// part of the section can change at run time.
    package func partsNeedingRestart(in read: GatewaySettings) -> [String] {
        [
            ("server", server == read.server), ("storage", storage == read.storage),
            ("provider", provider == read.provider), ("outgoing", outgoing == read.outgoing),
            ("intake, delivery", delivery == read.delivery), ("retention", housekeeping == read.housekeeping),
            ("operators", operators == read.operators), ("window", window == read.window),
            ("log.format", log.format == read.log.format), ("metrics", metrics == read.metrics),
            ("telemetry", telemetry == read.telemetry),
        ].filter { !$0.1 }.map(\.0)
    }
}
