import ProcessHarness

/// One time that the gateway was ended.
struct Ending: Sendable {
    /// How it ended.
    var exit: ChildProcess.Exit
    /// When the next start began, in seconds since 1970: pushes that arrived until then are of earlier ones.
    var nextStart: Double
    /// What stood in its outbox.
    var unfinished: Set<UnfinishedRows.Row>
    /// From the next start to its ready line, in seconds.
    var secondsToReady: Double
}
