import Synchronization

/// State that is shared by the callers and the task that stops the gateway.
final class Progress: Sendable {
    private struct State {
        var posted = 0
        var isStopping = false
    }

    private let state = Mutex(State())

    /// Counts events that have a response.
    func posted(_ count: Int) { state.withLock { $0.posted += count } }

    /// The number of events that have a response.
    var posted: Int { state.withLock { $0.posted } }

    /// Whether callers stop after their current request.
    var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Stops the callers.
    func stop() { state.withLock { $0.isStopping = true } }
}
