import Synchronization

/// A queue of events for a test.
///
/// One reader at a time.
final class Mailbox<Element: Sendable>: Sendable {
    private struct State {
        var waiting: [Element] = []
        var reader: CheckedContinuation<Element, Never>?
    }

    private let state = Mutex(State())

    func put(_ element: Element) {
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

    func next() async -> Element {
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

    func take(_ count: Int) async -> [Element] {
        var found: [Element] = []
        for _ in 0..<count { found.append(await next()) }
        return found
    }

    /// Waits for the first matching event; earlier ones are dropped.
    func first(where matches: (Element) -> Bool) async -> Element {
        while true {
            let element = await next()
            if matches(element) { return element }
        }
    }

    var pending: [Element] { state.withLock { $0.waiting } }
}
