internal import Logging

/// Passes on what Hummingbird logs, without the number that it gives each request.
///
/// Hummingbird copies its logger for each request to add that number; a handler that kept it would copy all that it has. Of
/// requests the gateway logs its own line, with its own id.
struct ServerLogHandler: LogHandler {
    /// The level of the logger that it passes to, also after that has changed.
    var logLevel: Logger.Level {
        get { logger.logLevel }
        set { logger.logLevel = newValue }
    }
    /// Always empty.
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    private var logger: Logger

    init(_ logger: Logger) { self.logger = logger }

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
