import DequeModule
package import HTTP2Connections
import NIOCore
import Synchronization

/// A bounded queue as the source of a pool.
///
/// Any thread.
///
/// Holds at most `limit` requests that no connection has pulled; a further request is rejected. The request's timeout
/// counts from `submit`, so waiting for a connection uses it up too.
package final class HTTP2RequestQueue: HTTP2RequestSource {
    /// Receives the response, on the pool's event loop.
    package typealias Completion = @Sendable (HTTP2Response) -> Void

    private struct Entry {
        var request: HTTP2Request
        var deadline: NIODeadline
        var completion: Completion
    }

    private struct State {
        var waiting = Deque<Entry>()
        /// Pulled requests, by the queue's own numbers.
        var pulled: [UInt64: (id: UInt64, completion: Completion)] = [:]
        var lastNumber: UInt64 = 0
        var timer: NIODeadline?
        var connection: HTTP2ConnectionState?
        weak var pool: HTTP2ConnectionPool?
        var isClosed = false
    }

    private let limit: Int
    private let onChange: (@Sendable (HTTP2ConnectionState) -> Void)?
    private let state = Mutex(State())

    /// Creates a queue that is not attached to a pool yet.
    ///
    /// - Parameters:
    ///   - limit: The most waiting requests, at least 1.
    ///   - onChange: Called when a connection changes its state, on the pool's event loop.
    package init(limit: Int, onChange: (@Sendable (HTTP2ConnectionState) -> Void)? = nil) {
        self.limit = max(1, limit)
        self.onChange = onChange
    }

    /// Attaches the pool that pulls from the queue; until then requests only wait, and their timeouts are not enforced.
    package func attach(_ pool: HTTP2ConnectionPool) {
        let (hasWork, due) = state.withLock { state in
            state.pool = pool
            return (!state.waiting.isEmpty, Self.takeTimer(&state))
        }
        if let due { watch(due, on: pool) }
        if hasWork { pool.wake() }
    }

    /// The number of requests that wait for a connection.
    package var depth: Int {
        state.withLock { $0.waiting.count }
    }

    /// The latest reported state of a connection.
    package var connection: HTTP2ConnectionState? {
        state.withLock { $0.connection }
    }

    /// Queues a request.
    ///
    /// - Parameters:
    ///   - request: The request; its id is copied to the response.
    ///   - completion: Called exactly once if the request was queued.
    /// - Returns: Whether it was queued; `false` when the queue is full or closed.
    package func submit(_ request: HTTP2Request, completion: @escaping Completion) -> Bool {
        let deadline = NIODeadline.now() + request.timeout
        let (isTaken, pool, due) = state.withLock { state -> (Bool, HTTP2ConnectionPool?, NIODeadline?) in
            guard state.waiting.count < limit, !state.isClosed else { return (false, nil, nil) }
            state.waiting.append(Entry(request: request, deadline: deadline, completion: completion))
            return (true, state.pool, state.pool == nil ? nil : Self.takeTimer(&state, upTo: deadline))
        }
        if let pool {
            if let due { watch(due, on: pool) }
            pool.wake()
        }
        return isTaken
    }

    /// Queues a request and waits for its response.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response; a failure `queueFull` when it was not queued.
    package func send(_ request: HTTP2Request) async -> HTTP2Response {
        await withCheckedContinuation { continuation in
            let isTaken = submit(request) { continuation.resume(returning: $0) }
            if !isTaken {
                continuation.resume(
                    returning: HTTP2Response(id: request.id, result: .failure(.unprocessed(.queueFull)))
                )
            }
        }
    }

    /// Closes the queue: fails waiting and later requests as unprocessed.
    ///
    /// To be called after the pool was shut down.
    package func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for entry in waiting { Self.fail(entry, .shutdown) }
    }

    // MARK: - HTTP2RequestSource

    /// Appends waiting requests in order; requests past their deadline fail instead.
    package func nextRequests(connection: UInt64, capacity: Int, into requests: inout [HTTP2Request]) {
        let now = NIODeadline.now()
        let expired = state.withLock { state in
            var expired: [Entry] = []
            while requests.count < capacity, let entry = state.waiting.popFirst() {
                guard entry.deadline > now else {
                    expired.append(entry)
                    continue
                }
                state.lastNumber += 1
                state.pulled[state.lastNumber] = (entry.request.id, entry.completion)
                var request = entry.request
                request.id = state.lastNumber
                request.timeout = entry.deadline - now
                requests.append(request)
            }
            return expired
        }
        for entry in expired { Self.fail(entry, .deadline) }
    }

    /// Passes responses to their completions.
    package func receive(_ responses: [HTTP2Response]) {
        let completed = state.withLock { state in
            responses.map { ($0, state.pulled.removeValue(forKey: $0.id)) }
        }
        for (response, pulled) in completed {
            guard let pulled else { continue }
            pulled.completion(HTTP2Response(id: pulled.id, result: response.result))
        }
    }

    /// Stores the state and passes it to `onChange`.
    package func connectionChanged(_ connection: UInt64, _ change: HTTP2ConnectionState) {
        state.withLock { $0.connection = change }
        onChange?(change)
    }

    // MARK: - Deadlines of waiting requests

    /// Reserves a timer for waiting requests.
    ///
    /// - Returns: The time of the timer; nil if one that is early enough already runs.
    private static func takeTimer(_ state: inout State, upTo deadline: NIODeadline? = nil) -> NIODeadline? {
        guard let due = deadline ?? state.waiting.map(\.deadline).min() else { return nil }
        if let timer = state.timer, timer <= due { return nil }
        state.timer = due
        return due
    }

    private func watch(_ due: NIODeadline, on pool: HTTP2ConnectionPool) {
        pool.eventLoop.scheduleTask(deadline: due) { [weak self, weak pool] in
            guard let self, let pool else { return }
            self.expire(pool)
        }
    }

    private func expire(_ pool: HTTP2ConnectionPool) {
        let now = NIODeadline.now()
        let (expired, due) = state.withLock { state in
            let expired = state.waiting.filter { $0.deadline <= now }
            if !expired.isEmpty { state.waiting.removeAll { $0.deadline <= now } }
            state.timer = nil
            return (Array(expired), Self.takeTimer(&state))
        }
        for entry in expired { Self.fail(entry, .deadline) }
        if let due { watch(due, on: pool) }
    }

    private static func fail(_ entry: Entry, _ reason: HTTP2RequestFailure.Reason) {
        entry.completion(HTTP2Response(id: entry.request.id, result: .failure(.unprocessed(reason))))
    }
}
