package import GatewayModel
package import Logging
internal import TextFormats

/// Writes log events as JSON lines or as text (`log.format`).
///
/// A JSON line holds `time`, `level`, `logger`, `message` and the metadata's dotted keys beside them.
package struct GatewayLogHandler: LogHandler {
    /// The level below which events are not written: the process's threshold, unless this logger has its own level.
    package var logLevel: Logger.Level {
        get { ownLevel ?? threshold.level }
        set { ownLevel = newValue }
    }
    /// The metadata that is on every line of this logger.
    package var metadata: Logger.Metadata = [:]
    /// The provider of metadata from the current task.
    package var metadataProvider: Logger.MetadataProvider?

    private var ownLevel: Logger.Level?
    private let threshold: LogThreshold
    private let label: String
    private let format: LogFormat
    private let clock: any GatewayClock
    private let sink: any LogSink

    /// Creates a handler.
    package init(
        label: String,
        threshold: LogThreshold,
        format: LogFormat,
        clock: any GatewayClock = SystemClock(),
        sink: any LogSink = DescriptorSink.standardError
    ) {
        self.label = label
        self.threshold = threshold
        self.format = format
        self.clock = clock
        self.sink = sink
    }

    /// One metadata value of this logger.
    package subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes one event; any thread.
    package func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
        if let own = event.metadata { all.merge(own) { $1 } }
        if let error = event.error { all[LogKey.errorText] = "\(error)" }
        let line = Self.line(event.level, label, event.message.description, all, format: format, at: clock.now)
        sink.write(line, level: event.level)
    }

    /// Renders the line that announces dropped log lines, at level warning, with its line feed.
    package static func announcement(of dropped: Int, label: String, format: LogFormat, at now: Timestamp) -> [UInt8] {
        line(
            .warning,
            label,
            "log lines were dropped: standard error was not read fast enough",
            [LogKey.count: "\(dropped)"],
            format: format,
            at: now
        )
    }

    private static func line(
        _ level: Logger.Level,
        _ label: String,
        _ message: String,
        _ metadata: Logger.Metadata,
        format: LogFormat,
        at now: Timestamp
    ) -> [UInt8] {
        let pairs = metadata.sorted { $0.key < $1.key }
        var line = JSONWriter(capacity: 256, escapes: .whiteSpace)
        switch format {
        case .json: appendJSON(level, label, message, pairs, now, to: &line)
        case .text: appendText(level, label, message, pairs, now, to: &line)
        }
        line.literal("\n")
        return line.bytes
    }

    private static func appendJSON(
        _ level: Logger.Level,
        _ label: String,
        _ message: String,
        _ pairs: [(key: String, value: Logger.MetadataValue)],
        _ now: Timestamp,
        to line: inout JSONWriter
    ) {
        line.literal("{")
        line.member("time", now.rfc3339)
        line.member("level", level.rawValue)
        line.member("logger", label)
        line.member("message", message)
        for (key, value) in pairs {
            // The first four keys are reserved for the line itself.
            line.name(ownKeys.contains(key) ? "metadata." + key : key)
            line.metadata(value)
        }
        line.literal("}")
    }

    private static func appendText(
        _ level: Logger.Level,
        _ label: String,
        _ message: String,
        _ pairs: [(key: String, value: Logger.MetadataValue)],
        _ now: Timestamp,
        to line: inout JSONWriter
    ) {
        let name = level.rawValue
        let padding = String(repeating: " ", count: max(0, 8 - name.utf8.count))
        line.raw("\(now.rfc3339) \(name)\(padding) \(label): ")
        line.unbroken(message)
        for (key, value) in pairs {
            line.raw(" \(key)=")
            line.metadata(value)
        }
    }

    private static let ownKeys: Set<String> = ["time", "level", "logger", "message"]
}
