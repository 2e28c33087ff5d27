import ProcessHarness

/// The data by which a run is judged.
struct Evidence: Sendable {
    /// A delivery as the gateway's delivery log shows it.
    struct Delivery: Sendable {
        var state: String
        var suppressedBy: String?
    }

    /// The callers' record.
    var record: ResponseRecord
    /// The pushes that reached the devices, in order of arrival.
    var pushes: [PushDrain.Push]
    /// The number of pushes that the simulator rejected by its rules.
    var refused: Int
    /// The stops of the gateway, in order.
    var endings: [Ending]
    /// The delivery log at the end.
    var log: [UnfinishedRows.Row: Delivery]
    /// Each consumer's unread count at the end, according to the API.
    var unread: [Int: Int]
    /// The exit of the last gateway, after SIGTERM.
    var lastExit: ChildProcess.Exit
}
