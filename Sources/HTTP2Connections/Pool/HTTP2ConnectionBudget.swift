internal import Synchronization

/// How many connections the pools of a process may have at once, those that are being made or end included.
///
/// A pool without a connection gets one as long as there is any place; further ones, which a pool opens because its streams or
/// windows are used up, fill one half only. When no place is left, a pool that has several closes one of them. Any thread.
package final class HTTP2ConnectionBudget: Sendable {
    private struct State {
        var shares: ConnectionShares
        var lastPool: UInt64 = 0
        /// How pools are asked for one of their connections.
        var pools: [UInt64: @Sendable () -> Void] = [:]
    }

    private let state: Mutex<State>

    /// Makes a budget of which nothing is used.
    ///
    /// - Parameter connections: How many there may be, 1 or more.
    package init(connections: Int) {
        state = Mutex(State(shares: ConnectionShares(capacity: max(1, connections))))
    }

    /// How many there are.
    package var count: Int { state.withLock { $0.shares.count } }

    /// Adds a pool.
    ///
    /// - Parameter ask: Asks it for one of its connections; called on any thread.
    /// - Returns: Its number.
    func join(_ ask: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            state.lastPool += 1
            state.pools[state.lastPool] = ask
            return state.lastPool
        }
    }

    /// Forgets how a pool is asked; what it holds it still gives back.
    func leave(_ pool: UInt64) {
        state.withLock { $0.pools[pool] = nil }
    }

    /// Takes a place for a connection; see ``ConnectionShares/take(_:isNeeded:)``.
    ///
    /// Where one is needed and there is none, another pool is asked for one.
    func take(_ pool: UInt64, isNeeded: Bool) -> Bool {
        let (isTaken, ask) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            if state.shares.take(pool, isNeeded: isNeeded) { return (true, nil) }
            guard isNeeded, let other = state.shares.nextToAsk() else { return (false, nil) }
            return (false, state.pools[other])
        }
        ask?()
        return isTaken
    }

    /// Gives a place back.
    func giveBack(_ pool: UInt64) {
        state.withLock { $0.shares.giveBack(pool) }
    }
}
