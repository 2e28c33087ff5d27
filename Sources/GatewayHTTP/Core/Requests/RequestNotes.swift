internal import Synchronization

/// The facts about a request that are collected while it is handled and used for its response; usable from any thread.
final class RequestNotes: Sendable {
    private struct State {
        var rate: RateLimitState?
        var caller: Caller?
        var hidesTexts = false
    }

    private let state = Mutex(State())

    /// The state of the caller's rate limit; nil when it has none.
    var rate: RateLimitState? {
        get { state.withLock { $0.rate } }
        set { state.withLock { $0.rate = newValue } }
    }

    /// The authenticated caller.
    var caller: Caller? {
        get { state.withLock { $0.caller } }
        set { state.withLock { $0.caller = newValue } }
    }

    /// Whether what was written, and how to reach consumers, is left out of the response (``TextRedaction``).
    var hidesTexts: Bool {
        get { state.withLock { $0.hidesTexts } }
        set { state.withLock { $0.hidesTexts = newValue } }
    }
}
