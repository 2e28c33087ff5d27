import Logging

/// A log handler that stores log lines.
struct LogLines: LogHandler {
    struct Line: Sendable {
        var level: Logger.Level
        var message: String
        var metadata: [String: String]
    }

    let lines: EventRecorder<Line>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.debug

    init(_ lines: EventRecorder<Line>) { self.lines = lines }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
        let line = Line(
            level: event.level,
            message: "\(event.message)",
            metadata: all.mapValues { "\($0)" }
        )
        lines.add(CollectionOfOne(line))
    }
}
