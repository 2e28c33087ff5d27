/// The events of one messaging window on their way to the app, bounded: the connection is not read while many wait.
///
/// The last event stays readable after the window has closed.
final class WindowEventQueue: Sendable {
    /// The most events that wait before the connection is no longer read.
    static let maxWaiting = 256

    private struct State: Sendable {
        var events: [WindowEvent] = []
        var hasEnded = false
        var reader: CheckedContinuation<WindowEvent?, Never>?
        var writer: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())

    /// The calls to continue outside the lock.
    private struct Waiting: Sendable {
        var reader: CheckedContinuation<WindowEvent?, Never>?
        var writer: CheckedContinuation<Void, Never>?
    }

    /// Adds an event; nothing follows the event `closed`.
    func add(_ event: WindowEvent) {
        let waiting = state.withLock { state -> Waiting in
            var waiting = Waiting()
            guard !state.hasEnded else { return waiting }
            if case .closed = event {
                state.hasEnded = true
                waiting.writer = state.writer
                state.writer = nil
            }
            if let reader = state.reader {
                waiting.reader = reader
                state.reader = nil
            } else {
                state.events.append(event)
            }
            return waiting
        }
        waiting.reader?.resume(returning: event)
        waiting.writer?.resume()
    }

    /// Drops the events that the app has not read, as at a logout.
    func clear() {
        let waiting = state.withLock { state -> Waiting in
            defer { state.writer = nil }
            state.events = []
            return Waiting(reader: nil, writer: state.writer)
        }
        waiting.writer?.resume()
    }

    /// Waits until there is room for the events of another input, or the window has closed.
    func waitForRoom() async {
        await withCheckedContinuation { continuation in
            let isFull = state.withLock { state in
                guard state.events.count >= Self.maxWaiting, !state.hasEnded else { return false }
                state.writer = continuation
                return true
            }
            if !isFull { continuation.resume() }
        }
    }

    /// Returns the next event; nil after the last one, or if the task is cancelled.
    ///
    /// One task reads at a time: an earlier call that waits gets nil.
    func next() async -> WindowEvent? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let step = state.withLock { state -> Step in
                    if !state.events.isEmpty {
                        defer { state.writer = nil }
                        let event = state.events.removeFirst()
                        return Step(event: event, isDone: true, waiting: Waiting(writer: state.writer))
                    }
                    if state.hasEnded { return Step(event: nil, isDone: true, waiting: Waiting()) }
                    defer { state.reader = continuation }
                    return Step(event: nil, isDone: false, waiting: Waiting(reader: state.reader))
                }
                step.waiting.reader?.resume(returning: nil)
                step.waiting.writer?.resume()
                if step.isDone {
                    continuation.resume(returning: step.event)
                } else if Task.isCancelled {
                    cancelReader()
                }
            }
        } onCancel: {
            cancelReader()
        }
    }

    /// The result of a look at the queue, to act on outside the lock.
    private struct Step: Sendable {
        var event: WindowEvent?
        var isDone: Bool
        var waiting: Waiting
    }

    private func cancelReader() {
        let reader = state.withLock { state -> CheckedContinuation<WindowEvent?, Never>? in
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }
}
