import Synchronization

/// A queue of events for a test.
///
/// One reader at a time. Thread-safe. Unbounded, but limited by the test.
package final class Mailbox<Element: Sendable>: Sendable {
    private struct State {
        var waiting: [Element] = []
        var reader: CheckedContinuation<Element, Never>?
    }

    private let state = Mutex(State())

    /// Creates an empty queue.
    package init() {}

    /// Adds an event.
    ///
    /// - Parameter element: The event.
    package func put(_ element: Element) {
        let reader = state.withLock { state -> CheckedContinuation<Element, Never>? in
            guard let reader = state.reader else {
                state.waiting.append(element)
                return nil
            }
            state.reader = nil
            return reader
        }
        reader?.resume(returning: element)
    }

    /// Removes the oldest event, and waits for one if there is none.
    ///
    /// - Returns: The event.
    package func next() async -> Element {
        await withCheckedContinuation { continuation in
            let found = state.withLock { state -> Element? in
                guard !state.waiting.isEmpty else {
                    precondition(state.reader == nil, "two readers")
                    state.reader = continuation
                    return nil
                }
                return state.waiting.removeFirst()
            }
            if let found { continuation.resume(returning: found) }
        }
    }

    /// Removes that many events, and waits for them.
    ///
    /// - Parameter count: The number of events.
    /// - Returns: The events, oldest first.
    package func take(_ count: Int) async -> [Element] {
        var found: [Element] = []
        for _ in 0..<count { found.append(await next()) }
        return found
    }

    /// Waits for the first matching event; earlier ones are dropped.
    ///
    /// - Parameter matches: The condition.
    /// - Returns: The event.
    package func first(where matches: (Element) -> Bool) async -> Element {
        while true {
            let element = await next()
            if matches(element) { return element }
        }
    }

    /// The events that nobody has taken yet, oldest first.
    package var pending: [Element] { state.withLock { $0.waiting } }
}
