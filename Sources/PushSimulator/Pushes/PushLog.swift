import Synchronization

/// The last pushes, in order, with a way to wait for more.
///
/// Any thread.
///
/// It holds a fixed number of pushes; when it is full the oldest is dropped.
package final class PushLog: Sendable {
    /// The most waiters; a further wait returns at once.
    private static let waiterLimit = 1000

    private struct State {
        var pushes: [SimulatedPush] = []
        /// The index of the oldest in `pushes` once that is full.
        var oldest = 0
        var lastNumber = 0
        var isClosed = false
        var nextWaiter = 0
        var waiters: [Int: (minimum: Int, continuation: CheckedContinuation<Void, Never>)] = [:]
    }

    private let state: Mutex<State>
    private let limit: Int

    /// Creates an empty log.
    ///
    /// - Parameter limit: The most stored pushes, at least 1.
    init(limit: Int) {
        self.limit = max(1, limit)
        self.state = Mutex(State())
    }

    /// The number of the last push, 0 for none.
    package var lastNumber: Int { self.state.withLock { $0.lastNumber } }

    /// Adds pushes and resumes waiters.
    ///
    /// - Parameter pushes: The pushes in order of arrival; their numbers are set here.
    func append(_ pushes: [SimulatedPush]) {
        let woken = self.state.withLock { state -> [CheckedContinuation<Void, Never>] in
            for var push in pushes {
                state.lastNumber += 1
                push.number = state.lastNumber
                if state.pushes.count < self.limit {
                    state.pushes.append(push)
                } else {
                    state.pushes[state.oldest] = push
                    state.oldest = (state.oldest + 1) % self.limit
                }
            }
            if state.waiters.isEmpty { return [] }
            let ready = state.waiters.filter { $0.value.minimum <= state.lastNumber }
            for id in ready.keys { state.waiters[id] = nil }
            return ready.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Returns the stored pushes.
    ///
    /// - Parameter number: Only those with a greater number; 0 for all.
    /// - Returns: The pushes in order of their numbers.
    package func pushes(after number: Int = 0) -> [SimulatedPush] {
        self.state.withLock { state in
            // Numbers have no gaps, so the result is a suffix of known length.
            let count = min(state.pushes.count, max(0, state.lastNumber - max(0, number)))
            return (state.pushes.count - count..<state.pushes.count).map { index in
                state.pushes[(state.oldest + index) % state.pushes.count]
            }
        }
    }

    /// Removes all pushes; numbers continue.
    package func clear() {
        self.state.withLock { state in
            state.pushes.removeAll()
            state.oldest = 0
        }
    }

    /// Waits until the push of that number has arrived.
    ///
    /// - Parameters:
    ///   - number: The number to wait for.
    ///   - limit: The timeout.
    /// - Returns: Whether it has arrived; false on timeout, when the simulator stops, and when there are too many
    ///   waiters.
    package func wait(forNumber number: Int, within limit: Duration) async -> Bool {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.suspend(until: number) }
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
        return self.lastNumber >= number
    }

    /// Waits until that many pushes have arrived since the simulator started, and returns them.
    ///
    /// - Parameters:
    ///   - count: The number of pushes.
    ///   - limit: The timeout.
    /// - Returns: All stored pushes, in order.
    /// - Throws: ``SimulatorError/notEnoughPushes(expected:received:)`` on timeout.
    package func first(_ count: Int, within limit: Duration = .seconds(10)) async throws -> [SimulatedPush] {
        guard await self.wait(forNumber: count, within: limit) else {
            throw SimulatorError.notEnoughPushes(expected: count, received: self.lastNumber)
        }
        return self.pushes()
    }

    /// Ends all waits.
    func close() {
        let waiters = self.state.withLock { state in
            state.isClosed = true
            defer { state.waiters.removeAll() }
            return state.waiters.values.map(\.continuation)
        }
        for continuation in waiters { continuation.resume() }
    }

    private func suspend(until number: Int) async {
        let id = self.state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = self.state.withLock { state in
                    let mustNotWait =
                        state.lastNumber >= number || state.isClosed || Task.isCancelled
                        || state.waiters.count >= Self.waiterLimit
                    if !mustNotWait { state.waiters[id] = (number, continuation) }
                    return mustNotWait
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            let waiter = self.state.withLock { $0.waiters.removeValue(forKey: id) }
            waiter?.continuation.resume()
        }
    }
}
