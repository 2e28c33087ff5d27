internal import Synchronization

/// Lets administrative changes through one by one, in the order of their coming, so that memory changes in the store's order.
///
/// At most 64 wait; more are told ``DirectoryError/busy``. A change is a few milliseconds, and operators are few.
final class AdministrationGate: Sendable {
    private static let limit = 64

    private struct State {
        var taken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// How many are inside or wait.
        var expected = 0
    }

    private let state = Mutex(State())

    /// Runs a change alone.
    func run<Result>(
        _ change: () async throws(DirectoryError) -> Result
    ) async throws(DirectoryError) -> Result {
        try await enter()
        defer { leave() }
        return try await change()
    }

    private func enter() async throws(DirectoryError) {
        let admitted = state.withLock { state in
            guard state.expected < Self.limit else { return false }
            state.expected += 1
            return true
        }
        guard admitted else { throw .busy }
        await withCheckedContinuation { continuation in
            let free = state.withLock { state in
                if state.taken {
                    state.waiting.append(continuation)
                    return false
                }
                state.taken = true
                return true
            }
            if free { continuation.resume() }
        }
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.expected -= 1
            if state.waiting.isEmpty {
                state.taken = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
