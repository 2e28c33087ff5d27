internal import Synchronization

/// One request with its response: what the caller and the thread of libcurl share.
final class Transfer: Sendable {
    /// The condition that the caller waits for.
    private enum Condition {
        case head
        case bytes
        case end
    }

    private struct State {
        var head: TransferResponse?
        var bytes: [UInt8] = []
        /// Whether libcurl holds bytes back until the caller has taken some.
        var isPaused = false
        var end: Result<Void, TransferFailure>?
        var waiting: (condition: Condition, continuation: CheckedContinuation<Void, Never>)?

        func fulfils(_ condition: Condition) -> Bool {
            switch condition {
            case .head: head != nil || end != nil
            case .bytes: !bytes.isEmpty || end != nil
            case .end: end != nil
            }
        }

        /// Returns the continuation of the caller if its condition holds; resume it without the lock.
        mutating func takeWaiting() -> CheckedContinuation<Void, Never>? {
            guard let found = waiting, fulfils(found.condition) else { return nil }
            waiting = nil
            return found.continuation
        }
    }

    /// The treatment of bytes that arrived.
    enum Reception {
        case taken
        /// The caller has enough bytes for now; libcurl gives these again later.
        case paused
        /// They exceed the limit.
        case tooMany
    }

    /// The number of bytes that wait for the caller of a stream before libcurl pauses.
    private static let maxWaitingBytes = 256 << 10

    let request: TransferRequest
    let core: TransferClientCore
    private let thread: TransferThread
    private let maxBodyBytes: Int?
    private let state = Mutex(State())

    /// Creates a transfer, to be started by the thread; `maxBodyBytes` is nil for a stream.
    init(_ request: TransferRequest, core: TransferClientCore, thread: TransferThread, maxBodyBytes: Int?) {
        self.request = request
        self.core = core
        self.thread = thread
        self.maxBodyBytes = maxBodyBytes
    }

    // The caller's side.

    /// Waits for the end and returns the response with its body.
    func response() async throws(TransferFailure) -> TransferResponse {
        await wait(for: .end)
        let (head, bytes, end) = state.withLock { ($0.head, $0.bytes, $0.end) }
        try end?.get()
        guard var head else { throw TransferFailure(.broken, mayHaveSent: true) }
        head.body = bytes
        return head
    }

    /// Waits for the head and returns it.
    func head() async throws(TransferFailure) -> TransferResponse {
        await wait(for: .head)
        let (head, end) = state.withLock { ($0.head, $0.end) }
        if let head { return head }
        try end?.get()
        throw TransferFailure(.broken, mayHaveSent: true)
    }

    /// Waits for the next bytes of the body; nil after its end.
    func chunk() async throws(TransferFailure) -> [UInt8]? {
        await wait(for: .bytes)
        let (bytes, wasPaused, end) = state.withLock { state in
            defer { (state.bytes, state.isPaused) = ([], false) }
            return (state.bytes, state.isPaused, state.end)
        }
        if wasPaused { thread.post(.resume(self)) }
        guard bytes.isEmpty else { return bytes }
        try end?.get()
        return nil
    }

    /// Ends the transfer for the caller at once, unless it has ended; the thread follows.
    func cancel() {
        if finish(.failure(TransferFailure(.cancelled, mayHaveSent: true))) { thread.post(.cancel(self)) }
    }

    private func wait(for condition: Condition) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isFulfilled = state.withLock { state in
                    precondition(state.waiting == nil, "a body has one consumer")
                    if state.fulfils(condition) { return true }
                    state.waiting = (condition, continuation)
                    return false
                }
                if isFulfilled { continuation.resume() }
            }
        } onCancel: {
            cancel()
        }
    }

    // The thread's side.

    /// Whether the end is set.
    var isOver: Bool { state.withLock { $0.end != nil } }

    func receive(_ head: TransferResponse) {
        let waiting = state.withLock { state in
            state.head = head
            return state.takeWaiting()
        }
        waiting?.resume()
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> Reception {
        let (reception, waiting) = state.withLock { state -> (Reception, CheckedContinuation<Void, Never>?) in
            guard state.end == nil else { return (.tooMany, nil) }
            if let maxBodyBytes {
                guard state.bytes.count + bytes.count <= maxBodyBytes else { return (.tooMany, nil) }
            } else if state.bytes.count >= Self.maxWaitingBytes {
                state.isPaused = true
                return (.paused, nil)
            }
            state.bytes += bytes
            return (.taken, state.takeWaiting())
        }
        waiting?.resume()
        return reception
    }

    /// Sets the end, once; false if it was set.
    @discardableResult
    func finish(_ end: Result<Void, TransferFailure>) -> Bool {
        let (isFirst, waiting) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
            guard state.end == nil else { return (false, nil) }
            state.end = end
            return (true, state.takeWaiting())
        }
        waiting?.resume()
        return isFirst
    }
}
