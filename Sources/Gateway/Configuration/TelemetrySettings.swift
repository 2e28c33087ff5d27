import Configuration

/// Traces for an OpenTelemetry collector.
///
/// - `telemetry.traces` (URL, default none)
/// - `telemetry.traceShare` (0 to 1, default 0.01)
/// - `telemetry.traceHeadersFile` (path, default none)
struct TelemetrySettings: Equatable {
    /// The URL for OTLP over HTTP, not checked yet; nil for none.
    var traces: String?
    /// The share of requests without a `traceparent` that are recorded.
    var traceShare = 0.01
    /// The file of header fields for the collector; it holds secrets.
    var traceHeadersFile: String?

    /// The defaults.
    init() {}

    /// Reads and checks; throws ``SettingsError``.
    init(config: ConfigReader) async throws {
        let reader = SettingsReader(config: config)
        traces = try await reader.text(.telemetryTraces)
        traceHeadersFile = try await reader.text(.telemetryTraceHeadersFile)
        guard let text = try await reader.text(.telemetryTraceShare) else { return }
        guard let share = Double(text), (0...1).contains(share) else {
            throw reader.wrong(.telemetryTraceShare, text, "a number from 0 to 1")
        }
        traceShare = share
    }
}
