/// The settings of a crash run.
struct CrashSettings: Sendable {
    /// The signal that stops the gateway each time.
    enum Ending: String, Sendable {
        /// `SIGKILL`: nothing can be finished.
        case kill
        /// `SIGTERM`: everything must be finished or requeued in an orderly way.
        case term
    }

    /// The number of times that the gateway is stopped.
    var kills: Int
    /// The number of keep-alive connections, each with one request at a time.
    var connections: Int
    /// The signal that stops it.
    var ending: Ending
    /// The seed of the posted events and the times of the stops.
    var seed: UInt64
    /// The number of consumers of each connection alone, each with one or two devices.
    var consumers = 40
    /// The number of consumers that every connection posts to.
    var sharedConsumers = 4

    /// The brand.
    static let brand = "proof"
}
