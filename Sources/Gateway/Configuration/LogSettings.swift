import Configuration
import GatewayModel
package import Logging
package import Telemetry

/// Log lines on standard error.
///
/// - `log.level` (trace, debug, info, notice, warning, error, critical; default info)
/// - `log.format` (json, text; default json)
package struct LogSettings: Equatable, Sendable {
    /// The lowest level that is written.
    package var level = Logger.Level.info
    /// The format of log lines.
    var format = LogFormat.json

    /// The defaults.
    init() {}

    /// Reads and checks; throws ``SettingsError``.
    init(config: ConfigReader) async throws {
        let reader = SettingsReader(config: config)
        level = try await reader.word(.logLevel, of: Logger.Level.self, default: level)
        format = try await reader.word(.logFormat, of: LogFormat.self, default: format)
    }

    /// Makes a logger with these settings and the level that the whole process shares.
    package func logger(
        _ label: String,
        threshold: LogThreshold,
        sink: any LogSink = DescriptorSink.standardError
    ) -> Logger {
        let format = format
        return Logger(label: label) { GatewayLogHandler(label: $0, threshold: threshold, format: format, sink: sink) }
    }

    /// Makes the queue through which the lines of a server reach standard error; `label` is the name of the logger of
    /// the queue's own lines.
    package func queue(_ label: String) -> LogQueue {
        let format = format
        return LogQueue { dropped in
            GatewayLogHandler.announcement(of: dropped, label: label, format: format, at: SystemClock().now)
        }
    }
}
