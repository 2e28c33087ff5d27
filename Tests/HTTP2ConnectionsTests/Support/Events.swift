import Synchronization

/// Things that happened, kept until the test asks for them.
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

    /// The oldest that was not taken; waits for one if need be.
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

    /// What is there now.
    var pending: [Element] {
        state.withLock { $0.waiting }
    }
}
