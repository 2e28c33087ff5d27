internal import Synchronization

/// The limit of simultaneous connections of all pools of a process, those that are being opened or closed included.
///
/// A pool without a connection gets one as long as a slot is free. Further connections, which a pool opens because its
/// streams or windows are used up, may use only one half. When no slot is left, a pool that has several closes one of
/// them. Any thread.
package final class HTTP2ConnectionBudget: Sendable {
    private struct State {
        var shares: ConnectionShares
        var lastPool: UInt64 = 0
        /// The callbacks that ask pools to close one of their connections.
        var pools: [UInt64: @Sendable () -> Void] = [:]
    }

    private let state: Mutex<State>

    /// Creates an unused budget.
    ///
    /// - Parameter connections: The limit, at least 1.
    package init(connections: Int) {
        state = Mutex(State(shares: ConnectionShares(capacity: max(1, connections))))
    }

    /// The number of used slots.
    package var count: Int { state.withLock { $0.shares.count } }

    /// Adds a pool.
    ///
    /// - Parameter ask: Asks the pool to close one of its connections; called on any thread.
    /// - Returns: The pool's number.
    func join(_ ask: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            state.lastPool += 1
            state.pools[state.lastPool] = ask
            return state.lastPool
        }
    }

    /// Removes a pool's callback; the pool still releases the slots that it holds.
    func leave(_ pool: UInt64) {
        state.withLock { $0.pools[pool] = nil }
    }

    /// Takes a slot for a connection; see ``ConnectionShares/take(_:isNeeded:)``.
    ///
    /// If one is needed and none is free, another pool is asked for one.
    func take(_ pool: UInt64, isNeeded: Bool) -> Bool {
        let (isTaken, ask) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            if state.shares.take(pool, isNeeded: isNeeded) { return (true, nil) }
            guard isNeeded, let other = state.shares.nextToAsk() else { return (false, nil) }
            return (false, state.pools[other])
        }
        ask?()
        return isTaken
    }

    /// Releases a slot.
    func release(_ pool: UInt64) {
        state.withLock { $0.shares.release(pool) }
    }
}
