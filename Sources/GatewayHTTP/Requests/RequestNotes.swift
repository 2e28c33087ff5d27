internal import Synchronization

/// What is learned of a request on its way in and told on its way out; any thread.
final class RequestNotes: Sendable {
    private struct State {
        var rate: RateStanding?
        var caller: Caller?
    }

    private let state = Mutex(State())

    /// How the caller stands with its rate limit; nil when it has none.
    var rate: RateStanding? {
        get { state.withLock { $0.rate } }
        set { state.withLock { $0.rate = newValue } }
    }

    /// Who calls, once its credential has been checked.
    var caller: Caller? {
        get { state.withLock { $0.caller } }
        set { state.withLock { $0.caller = newValue } }
    }
}
