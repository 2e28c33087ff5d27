internal import Logging

/// Passes on Hummingbird's log events, without the number that it gives to each request.
///
/// Hummingbird copies its logger for each request to add that number; a handler that stored it would copy all of its
/// metadata. The gateway logs its own line for a request, with its own id.
struct ServerLogHandler: LogHandler {
    /// The level of the logger that it passes to, also after a change, and at least notice.
    ///
    /// Hummingbird logs its address at info, which the executable reports itself, once, on stdout.
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

    /// Creates a logger for Hummingbird.
    ///
    /// - Parameter logger: The gateway's.
    /// - Returns: A logger that passes on to it.
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
