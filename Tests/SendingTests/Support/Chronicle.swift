import Synchronization

/// What happened so far, in order; a test waits for the part of it that it needs.
final class Chronicle<Element: Sendable>: Sendable {
    private struct Waiter {
        var isMet: @Sendable ([Element]) -> Bool
        var continuation: CheckedContinuation<[Element], Never>
    }

    private struct State {
        var elements: [Element] = []
        var waiters: [Waiter] = []
    }

    private let state = Mutex(State())

    var all: [Element] { state.withLock { $0.elements } }

    func add(_ new: some Sequence<Element>) {
        let (ready, elements) = state.withLock { state -> ([Waiter], [Element]) in
            state.elements.append(contentsOf: new)
            let elements = state.elements
            let ready = state.waiters.filter { $0.isMet(elements) }
            state.waiters.removeAll { $0.isMet(elements) }
            return (ready, elements)
        }
        for waiter in ready { waiter.continuation.resume(returning: elements) }
    }

    /// Waits until a condition holds; the test's time limit ends a wait for what never comes.
    @discardableResult
    func wait(until isMet: @escaping @Sendable ([Element]) -> Bool) async -> [Element] {
        await withCheckedContinuation { continuation in
            let met = state.withLock { state -> [Element]? in
                if isMet(state.elements) { return state.elements }
                state.waiters.append(Waiter(isMet: isMet, continuation: continuation))
                return nil
            }
            if let met { continuation.resume(returning: met) }
        }
    }
}
