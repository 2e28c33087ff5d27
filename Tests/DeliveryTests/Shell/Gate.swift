import Synchronization

/// A gate that suspends each task that passes, until it is opened.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var isReached = false
        var held: [CheckedContinuation<Void, Never>] = []
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func pass() async {
        await withCheckedContinuation { continuation in
            let (isOpen, watchers) = state.withLock { state in
                state.isReached = true
                let watchers = state.watchers
                state.watchers = []
                if !state.isOpen { state.held.append(continuation) }
                return (state.isOpen, watchers)
            }
            for watcher in watchers { watcher.resume() }
            if isOpen { continuation.resume() }
        }
    }

    func reached() async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if !state.isReached { state.watchers.append(continuation) }
                return state.isReached
            }
            if isReached { continuation.resume() }
        }
    }

    func open() {
        let held = state.withLock { state in
            state.isOpen = true
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }
}
