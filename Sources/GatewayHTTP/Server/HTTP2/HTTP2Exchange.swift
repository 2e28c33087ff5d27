internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// One request and its response on a stream of HTTP/2, between the event loop of its connection and the task that handles
/// it; usable from any thread.
final class HTTP2Exchange: Sendable {
    /// A part of the request's body.
    private enum Part {
        case bytes(ByteBuffer, isLast: Bool)
        case end
        case broken
    }

    private struct State {
        /// Bytes that have arrived and were not taken; at most the stream's window.
        var bytes = ByteBuffer()
        var isComplete = false
        var isClosed = false
        /// The task that waits for the next part.
        var reader: CheckedContinuation<Part, Never>?
        /// Finished when the stream ends.
        var watcher: AsyncStream<Never>.Continuation?

        mutating func takePart() -> Part? {
            guard bytes.readableBytes == 0 else {
                defer { bytes = ByteBuffer() }
                return .bytes(bytes, isLast: isComplete)
            }
            return isComplete ? .end : isClosed ? .broken : nil
        }
    }

    /// The caller's id of the request.
    var requestID: String? { head.headerFields[.xRequestID] }

    let head: HTTPRequest
    private let stream: Int32
    private let connection: NIOLoopBound<HTTP2Connection>
    private let state = Mutex(State())

    init(head: HTTPRequest, stream: Int32, connection: NIOLoopBound<HTTP2Connection>) {
        self.head = head
        self.stream = stream
        self.connection = connection
    }

    // MARK: From the event loop

    /// Passes on bytes of the body.
    func arrived(_ bytes: ByteBuffer) {
        change { state in
            var bytes = bytes
            if state.bytes.readableBytes == 0 { state.bytes = bytes } else { state.bytes.writeBuffer(&bytes) }
        }
    }

    /// Passes on the end of the body.
    func completed() { change { $0.isComplete = true } }

    /// Passes on the end of the stream, before or after that of its body.
    func closed() {
        change { state in
            state.isClosed = true
            state.watcher?.finish()
        }
    }

    /// The bytes of the body that have arrived and were not taken.
    var untaken: ByteBuffer { state.withLock { $0.bytes } }

    /// Whether the task waits for the body.
    var isReading: Bool { state.withLock { $0.reader != nil } }

    private func change(_ change: (inout State) -> Void) {
        let resumed = state.withLock { state -> (CheckedContinuation<Part, Never>, Part)? in
            change(&state)
            guard let reader = state.reader, let part = state.takePart() else { return nil }
            state.reader = nil
            return (reader, part)
        }
        if let (reader, part) = resumed { reader.resume(returning: part) }
    }

    // MARK: From the task

    /// Responds by the routes.
    func respond(by responder: RouterResponder<GatewayContext>, on channel: any Channel, logger: Logger) async {
        var context = GatewayContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
        context.exchange = self
        let request = Request(head: head, body: RequestBody(asyncSequence: Body(exchange: self)))
        // An error means that the stream has ended, or else it is reset below.
        if var response = try? await responder.respond(to: request, context: context) {
            response.headers[.date] = HTTPDate.now
            try? await write(response)
        }
        onLoop { $0.taskEnded(stream: $1) }
    }

    private func write(_ response: Response) async throws {
        let length = response.body.contentLength
        let writer = HTTP2ResponseWriter(exchange: self, head: response.head, length: length)
        guard length == nil else { return try await response.body.write(writer) }
        // A client that ends the stream also ends its response at once, not at the next write.
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await self.waitForEnd() }
            group.addTask { try await response.body.write(writer) }
            try await group.next()
            group.cancelAll()
        }
    }

    private func waitForEnd() async {
        let (end, watcher) = AsyncStream<Never>.makeStream()
        state.withLock { state in
            if state.isClosed { watcher.finish() } else { state.watcher = watcher }
        }
        for await _ in end {}
    }

    /// Submits a piece of the response, with its head if it is the first; returns when there is room for more.
    func send(_ head: HTTPResponse?, _ bytes: ByteBuffer) async throws {
        let promise = connection.eventLoop.makePromise(of: Void.self)
        onLoop { $0.write(head, bytes, stream: $1, promise) }
        try await promise.futureResult.get()
    }

    /// Submits the end of the response, with its head if it is the first piece.
    func finish(_ head: HTTPResponse?, _ bytes: ByteBuffer?) {
        onLoop { $0.finish(head, bytes, stream: $1) }
    }

    /// Asks the client for the body that it announced with `Expect: 100-continue`.
    func sendContinue() { onLoop { $0.sendContinue(stream: $1) } }

    private func onLoop(_ action: @escaping @Sendable (HTTP2Connection, Int32) -> Void) {
        connection.eventLoop.execute { [connection, stream] in action(connection.value, stream) }
    }

    private func nextPart() async throws -> ByteBuffer? {
        let part = await withCheckedContinuation { continuation in
            let part = state.withLock { state -> Part? in
                let part = state.takePart()
                if part == nil { state.reader = continuation }
                return part
            }
            if let part { continuation.resume(returning: part) }
        }
        switch part {
        case .bytes(let bytes, let isLast):
            // The windows of a complete body are granted with the response.
            if !isLast { onLoop { $0.consumed(bytes.readableBytes, stream: $1) } }
            return bytes
        case .end: return nil
        // The error of an HTTP/1.1 connection that ends within a body.
        case .broken: throw HTTPParserError.invalidEOFState
        }
    }

    /// The request's body.
    private struct Body: AsyncSequence, Sendable {
        let exchange: HTTP2Exchange

        struct AsyncIterator: AsyncIteratorProtocol {
            let exchange: HTTP2Exchange

            mutating func next() async throws -> ByteBuffer? { try await exchange.nextPart() }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(exchange: exchange) }
    }
}
