import Configuration

/// The metrics' own listener.
///
/// - `metrics.listen` (HOST:PORT, default none: `/metrics` is answered on the API's listener only)
struct MetricsSettings: Equatable {
    /// Where `/metrics`, `/livez` and `/readyz` are answered to everybody who can reach it.
    var listen: ListenAddress?

    /// The defaults.
    init() {}

    /// Reads and checks.
    ///
    /// - Parameter config: Flags, environment and file.
    /// - Throws: ``SettingsError``.
    init(config: ConfigReader) async throws {
        listen = try await SettingsReader(config: config).address(.metricsListen)
    }
}
