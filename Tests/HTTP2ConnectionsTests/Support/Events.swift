import Synchronization

/// A queue of events for a test.
final class Events<Element: Sendable>: Sendable {
    private struct State {
        var waiting: [Element] = []
        var reader: CheckedContinuation<Element, Never>?
    }

    private let state = Mutex(State())

    func add(_ element: Element) {
        let reader = state.withLock { state -> CheckedContinuation<Element, Never>? in
            guard let reader = state.reader else {
                state.waiting.append(element)
                return nil
            }
            state.reader = nil
            return reader
        }
        reader?.resume(returning: element)
    }

    /// Returns the oldest event, and waits for one if there is none.
    ///
    /// One reader at a time.
    func next() async -> Element {
        await withCheckedContinuation { continuation in
            let found = state.withLock { state -> Element? in
                guard !state.waiting.isEmpty else {
                    precondition(state.reader == nil, "two readers")
                    state.reader = continuation
                    return nil
                }
                return state.waiting.removeFirst()
            }
            if let found { continuation.resume(returning: found) }
        }
    }

    /// The current events.
    var pending: [Element] {
        state.withLock { $0.waiting }
    }
}
