import ProcessHarness

/// One stop of the gateway.
struct Ending: Sendable {
    /// The exit status or signal.
    var exit: ChildProcess.Exit
    /// The time of the next start, in seconds since 1970: pushes that arrived until then are from earlier processes.
    var nextStart: Double
    /// The unfinished rows of its outbox.
    var unfinished: Set<UnfinishedRows.Row>
    /// The time from the next start to its ready line, in seconds.
    var secondsToReady: Double
}
