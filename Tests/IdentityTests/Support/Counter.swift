import Synchronization

/// A counter that wakes the waiters for a number.
///
/// Thread-safe.
final class Counter: Sendable {
    private struct State {
        var count = 0
        var waiters: [(number: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.count } }

    /// Increments the counter.
    @discardableResult
    func next() -> Int {
        let (count, woken) = state.withLock { state in
            state.count += 1
            let woken = state.waiters.filter { $0.number <= state.count }
            state.waiters.removeAll { $0.number <= state.count }
            return (state.count, woken.map(\.continuation))
        }
        for waiter in woken { waiter.resume() }
        return count
    }

    /// Waits until the counter has reached a number.
    func reaches(_ number: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.count < number { state.waiters.append((number, continuation)) }
                return state.count >= number
            }
            if isThere { continuation.resume() }
        }
    }
}
