import Synchronization

/// A result that several tasks await; a cancelled task returns at once, and the others keep waiting.
final class SharedResult<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiters: [Int: CheckedContinuation<Value?, Never>] = [:]
        var left: Set<Int> = []
        var last = 0
    }

    private let state = Mutex(State())

    /// Waits for the result; nil when the task was cancelled before there was one.
    func wait() async -> Value? {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Nil while it must wait; else the result to return at once.
                let result: Value?? = state.withLock { state in
                    if let value = state.value { return .some(value) }
                    if state.left.remove(number) != nil { return .some(nil) }
                    state.waiters[number] = continuation
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            let waiter: CheckedContinuation<Value?, Never>? = state.withLock { state in
                if let waiter = state.waiters.removeValue(forKey: number) { return waiter }
                if state.value == nil { state.left.insert(number) }
                return nil
            }
            waiter?.resume(returning: nil)
        }
    }

    /// Sets the result, once.
    func finish(_ value: Value) {
        let waiters = state.withLock { state in
            state.value = value
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(returning: value) }
    }
}
