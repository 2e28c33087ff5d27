/// A lock for tasks of one actor, first come first served; used on that actor only.
final class TurnQueue {
    /// The most tasks that wait.
    static let maxWaiters = 64

    private var isTaken = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// Takes the turn; every caller must ``leave()`` afterwards.
    ///
    /// - Throws: `tooManyCalls` if too many tasks wait.
    func enter() async throws(SwitchboardError) {
        guard isTaken else {
            isTaken = true
            return
        }
        guard waiters.count < Self.maxWaiters else {
            throw SwitchboardError(.tooManyCalls, "too many calls wait for the session")
        }
        await withCheckedContinuation { waiters.append($0) }
    }

    /// Passes the turn to the next task.
    func leave() {
        if waiters.isEmpty {
            isTaken = false
        } else {
            waiters.removeFirst().resume()
        }
    }
}
