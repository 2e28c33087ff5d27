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
    ///
    /// - Parameters:
    ///   - label: The logger's name.
    ///   - threshold: The level below which events are not written.
    ///   - format: The format of the lines.
    ///   - clock: The source of the lines' time.
    ///   - sink: The destination of the lines.
    package init(
        label: String,
        threshold: LogThreshold,
        format: LogFormat,
        clock: any GatewayClock = SystemClock(),
        sink: any LogSink = StandardErrorSink()
    ) {
        self.label = label
        self.threshold = threshold
        self.format = format
        self.clock = clock
        self.sink = sink
    }

    /// One metadata value of this logger.
    ///
    /// - Parameter key: A key of ``LogKey``.
    package subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes one event; any thread.
    ///
    /// - Parameter event: The event.
    package func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
        if let own = event.metadata { all.merge(own) { $1 } }
        if let error = event.error { all[LogKey.errorText] = "\(error)" }
        let pairs = all.sorted { $0.key < $1.key }
        var line = JSONWriter(capacity: 256, escapes: .whiteSpace)
        switch format {
        case .json: appendJSON(event, pairs, to: &line)
        case .text: appendText(event, pairs, to: &line)
        }
        line.literal("\n")
        sink.write(line.bytes)
    }

    private func appendJSON(
        _ event: LogEvent,
        _ pairs: [(key: String, value: Logger.MetadataValue)],
        to line: inout JSONWriter
    ) {
        line.literal("{")
        line.member("time", clock.now.rfc3339)
        line.member("level", event.level.rawValue)
        line.member("logger", label)
        line.member("message", event.message.description)
        for (key, value) in pairs {
            // The first four keys are reserved for the line itself.
            line.name(Self.ownKeys.contains(key) ? "metadata." + key : key)
            line.metadata(value)
        }
        line.literal("}")
    }

    private func appendText(
        _ event: LogEvent,
        _ pairs: [(key: String, value: Logger.MetadataValue)],
        to line: inout JSONWriter
    ) {
        let level = event.level.rawValue
        let padding = String(repeating: " ", count: max(0, 8 - level.utf8.count))
        line.raw("\(clock.now.rfc3339) \(level)\(padding) \(label): ")
        line.unbroken(event.message.description)
        for (key, value) in pairs {
            line.raw(" \(key)=")
            line.metadata(value)
        }
    }

    private static let ownKeys: Set<String> = ["time", "level", "logger", "message"]
}
