/// How a crash run goes.
struct CrashSettings: Sendable {
    /// What ends the gateway each time.
    enum Ending: String, Sendable {
        /// `SIGKILL`: nothing can be finished.
        case kill
        /// `SIGTERM`: everything must be finished or given up in order.
        case term
    }

    /// How often the gateway is ended.
    var kills: Int
    /// Keep-alive connections, each with one request at a time.
    var connections: Int
    /// What ends it.
    var ending: Ending
    /// Decides what is posted and when the gateway ends.
    var seed: UInt64
    /// Consumers of one connection alone, each with one or two devices.
    var consumers = 40
    /// Consumers that every connection posts to.
    var sharedConsumers = 4

    /// The brand.
    static let brand = "proof"
}
