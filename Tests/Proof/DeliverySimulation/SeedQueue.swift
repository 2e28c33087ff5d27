import Synchronization

/// A queue that hands seeds out to workers, a chunk at a time; callable from any thread.
final class SeedQueue: Sendable {
    private let count: Int
    private let state = Mutex((next: 0, done: 0, hasFailed: false))

    init(count: Int) { self.count = count }

    /// Returns the indexes of the next seeds; nil when there are none, or when one has failed.
    func next() -> Range<Int>? {
        state.withLock { state in
            guard state.next < count, !state.hasFailed else { return nil }
            let start = state.next
            state.next = min(start + 250, count)
            return start..<state.next
        }
    }

    /// Counts seeds that were run; returns the total.
    func finished(_ seeds: Int, hasFailed: Bool) -> Int {
        state.withLock { state in
            state.done += seeds
            if hasFailed { state.hasFailed = true }
            return state.done
        }
    }
}
