import ProcessHarness

/// Everything that a run is judged by.
struct Evidence: Sendable {
    /// A delivery as the gateway's log shows it.
    struct Delivery: Sendable {
        var state: String
        var suppressedBy: String?
    }

    /// What the callers know.
    var book: Book
    /// What reached the devices, in order of arrival.
    var pushes: [PushDrain.Push]
    /// How many pushes the simulator was told to refuse.
    var refused: Int
    /// Each time the gateway was ended, in order.
    var endings: [Ending]
    /// The delivery log at the end.
    var log: [UnfinishedRows.Row: Delivery]
    /// Each consumer's unread count at the end, as the API says.
    var unread: [Int: Int]
    /// How the last gateway stopped, by SIGTERM.
    var lastExit: ChildProcess.Exit
}
