package import GatewayModel
package import Logging

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
        var line: [UInt8] = []
        line.reserveCapacity(256)
        switch format {
        case .json: appendJSON(event, pairs, to: &line)
        case .text: appendText(event, pairs, to: &line)
        }
        line.append(UInt8(ascii: "\n"))
        sink.write(line)
    }

    private func appendJSON(
        _ event: LogEvent,
        _ pairs: [(key: String, value: Logger.MetadataValue)],
        to line: inout [UInt8]
    ) {
        line.append(contentsOf: "{\"time\":\"\(clock.now.rfc3339)\",\"level\":\"\(event.level.rawValue)\"".utf8)
        LogJSON.appendMember("logger", label, to: &line)
        LogJSON.appendMember("message", event.message.description, to: &line)
        for (key, value) in pairs {
            // The first four keys are reserved for the line itself.
            let name = Self.ownKeys.contains(key) ? "metadata." + key : key
            LogJSON.appendMember(name, value, to: &line)
        }
        line.append(UInt8(ascii: "}"))
    }

    private func appendText(
        _ event: LogEvent,
        _ pairs: [(key: String, value: Logger.MetadataValue)],
        to line: inout [UInt8]
    ) {
        let level = event.level.rawValue
        let padding = String(repeating: " ", count: max(0, 8 - level.utf8.count))
        line.append(contentsOf: "\(clock.now.rfc3339) \(level)\(padding) \(label): ".utf8)
        LogJSON.appendUnbroken(event.message.description, to: &line)
        for (key, value) in pairs {
            line.append(contentsOf: " \(key)=".utf8)
            LogJSON.append(value, to: &line)
        }
    }

    private static let ownKeys: Set<String> = ["time", "level", "logger", "message"]
}
