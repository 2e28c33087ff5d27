internal import Synchronization

/// What is learned of a request on its way in and told on its way out; any thread.
final class RequestNotes: Sendable {
    private let standing = Mutex<RateStanding?>(nil)
    private let known = Mutex<Caller?>(nil)

    /// Who calls, once a credential has been checked.
    var caller: Caller? {
        get { known.withLock { $0 } }
        set { known.withLock { $0 = newValue } }
    }

    /// How the caller stands with its rate limit; nil when it has none.
    var rate: RateStanding? {
        get { standing.withLock { $0 } }
        set { standing.withLock { $0 = newValue } }
    }
}
