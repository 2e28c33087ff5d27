import Configuration

/// The metrics' own listener.
///
/// - `metrics.listen` (HOST:PORT, default none: `/metrics` is served on the API's listener only)
struct MetricsSettings: Equatable {
    /// A listener that serves `/metrics`, `/livez` and `/readyz` without authentication; nil for none.
    var listen: ListenAddress?

    /// The defaults.
    init() {}

    /// Reads and checks; throws ``SettingsError``.
    init(config: ConfigReader) async throws {
        listen = try await SettingsReader(config: config).address(.metricsListen)
    }
}
