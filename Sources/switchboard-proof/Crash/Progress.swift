import Synchronization

/// What callers and killer tell each other.
final class Progress: Sendable {
    private struct State {
        var posted = 0
        var isStopping = false
    }

    private let state = Mutex(State())

    /// Counts events that were answered.
    func posted(_ count: Int) { state.withLock { $0.posted += count } }

    /// How many events were answered so far.
    var posted: Int { state.withLock { $0.posted } }

    /// Whether callers stop after their present request.
    var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Stops the callers.
    func stop() { state.withLock { $0.isStopping = true } }
}
