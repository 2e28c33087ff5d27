import Synchronization

/// A list of events in order; a test waits for those that it needs.
final class EventRecorder<Element: Sendable>: Sendable {
    private struct Waiter {
        var isMet: @Sendable ([Element]) -> Bool
        var continuation: CheckedContinuation<[Element], Never>
    }

    private struct State {
        var elements: [Element] = []
        var waiters: [Int: Waiter] = [:]
        var lastWaiter = 0
    }

    private let state = Mutex(State())

    var all: [Element] { state.withLock { $0.elements } }

    func add(_ new: some Sequence<Element>) {
        let (ready, elements) = state.withLock { state -> ([Waiter], [Element]) in
            state.elements.append(contentsOf: new)
            let elements = state.elements
            let met = state.waiters.filter { $0.value.isMet(elements) }
            for key in met.keys { state.waiters[key] = nil }
            return (Array(met.values), elements)
        }
        for waiter in ready { waiter.continuation.resume(returning: elements) }
    }

    /// Waits until a condition holds; the test's time limit ends a wait without a result.
    @discardableResult
    func wait(until isMet: @escaping @Sendable ([Element]) -> Bool) async -> [Element] {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known = state.withLock { state -> [Element]? in
                    if isMet(state.elements) || Task.isCancelled { return state.elements }
                    state.waiters[number] = Waiter(isMet: isMet, continuation: continuation)
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            let (waiter, elements) = state.withLock { ($0.waiters.removeValue(forKey: number), $0.elements) }
            waiter?.continuation.resume(returning: elements)
        }
    }
}
