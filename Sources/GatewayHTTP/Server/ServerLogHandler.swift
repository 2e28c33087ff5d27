internal import Logging

/// Passes on what Hummingbird logs, without the number that it gives each request.
///
/// Hummingbird copies its logger for each request to add that number; a handler that kept it would copy all that it has. Of
/// requests the gateway logs its own line, with its own id.
struct ServerLogHandler: LogHandler {
    /// The level of the logger that it passes to, also after that has changed, and at least notice.
    ///
    /// Hummingbird logs at info where it listens, which the executable says itself, once, on stdout.
    var logLevel: Logger.Level {
        get { max(logger.logLevel, .notice) }
        set { logger.logLevel = newValue }
    }
    /// Always empty.
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    private var logger: Logger

    /// A logger for Hummingbird.
    ///
    /// - Parameter logger: The gateway's.
    /// - Returns: One that passes on to it.
    static func logger(passingTo logger: Logger) -> Logger {
        Logger(label: logger.label) { _ in ServerLogHandler(logger: logger) }
    }

    subscript(metadataKey _: String) -> Logger.MetadataValue? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        logger.log(
            level: event.level,
            event.message,
            metadata: event.metadata,
            source: event.source,
            file: event.file,
            function: event.function,
            line: event.line
        )
    }
}
