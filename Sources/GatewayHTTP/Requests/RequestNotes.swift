internal import Synchronization

/// What is learned of a request on its way in and told on its way out; any thread.
final class RequestNotes: Sendable {
    private let standing = Mutex<RateStanding?>(nil)

    /// How the caller stands with its rate limit; nil when it has none.
    var rate: RateStanding? {
        get { standing.withLock { $0 } }
        set { standing.withLock { $0 = newValue } }
    }
}
