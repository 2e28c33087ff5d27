internal import NIOCore

/// The stream of a messaging window (RFC 8441) as a channel, in which the handlers of every window serve it.
///
/// `@unchecked Sendable`: all mutable state is confined to the connection's event loop, on which the connection and the
/// pipeline call it; other threads use only constants and the pipeline, which changes to that loop.
final class HTTP2WindowChannel: Channel, ChannelCore, @unchecked Sendable {
    let allocator = ByteBufferAllocator()
    let eventLoop: any EventLoop
    let parent: (any Channel)?
    let isWritable = true
    private(set) var isActive = true
    private(set) lazy var pipeline = ChannelPipeline(channel: self)
    private let stream: Int32
    private let connection: HTTP2Connection
    private let closePromise: EventLoopPromise<Void>
    /// The client's bytes that no handler has asked for; at most the stream's window.
    private var input = ByteBuffer()
    private var isInputEnded = false
    private var isReadWanted = false
    private var written = 0
    /// The writes that are not sent completely, with the number of bytes up to their ends.
    private var writes = CircularBuffer<(end: Int, promise: EventLoopPromise<Void>)>()

    init(stream: Int32, parent: any Channel, connection: HTTP2Connection) {
        self.stream = stream
        self.parent = parent
        self.connection = connection
        eventLoop = parent.eventLoop
        closePromise = parent.eventLoop.makePromise()
        _ = pipeline
    }

    var _channelCore: any ChannelCore { self }
    var closeFuture: EventLoopFuture<Void> { closePromise.futureResult }
    var localAddress: SocketAddress? { parent?.localAddress }
    var remoteAddress: SocketAddress? { parent?.remoteAddress }

    // MARK: From the connection

    /// Begins to read, when the handlers are there.
    func begin() { pipeline.read() }

    /// Receives bytes of the client.
    func arrived(_ bytes: ByteBuffer) {
        var bytes = bytes
        if input.readableBytes == 0 { input = bytes } else { input.writeBuffer(&bytes) }
        passOn()
    }

    /// Receives the end of the client's bytes.
    func inputEnded() {
        isInputEnded = true
        passOn()
    }

    private func passOn() {
        if isActive, isReadWanted, input.readableBytes > 0 {
            isReadWanted = false
            let bytes = input
            input = ByteBuffer()
            pipeline.syncOperations.fireChannelRead(NIOAny(bytes))
            pipeline.syncOperations.fireChannelReadComplete()
            connection.taken(bytes.readableBytes, window: stream)
            pipeline.read()
        }
        // Like the end of a socket it is noticed by who reads: a client cannot end windows faster than they open.
        guard isActive, isReadWanted, isInputEnded, input.readableBytes == 0 else { return }
        pipeline.syncOperations.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }

    /// Records that all bytes but the last ones are sent.
    func sent(unsent: Int) {
        let sent = written - unsent
        while let write = writes.first, write.end <= sent {
            writes.removeFirst()
            write.promise.succeed()
        }
    }

    /// Announces that the gateway stops.
    func stop() { pipeline.syncOperations.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }

    /// Receives the end of the stream.
    func ended() {
        guard isActive else { return }
        isActive = false
        input = ByteBuffer()
        let unsent = writes
        writes.removeAll()
        for write in unsent { write.promise.fail(ChannelError.ioOnClosedChannel) }
        pipeline.syncOperations.fireChannelInactive()
        // Not while a handler runs.
        eventLoop.execute { [self] in
            removeHandlers(pipeline: pipeline)
            closePromise.succeed()
        }
    }

    // MARK: From the pipeline

    func read0() {
        isReadWanted = true
        passOn()
    }

    func write0(_ data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isActive, let bytes = tryUnwrapData(data, as: ByteBuffer.self) else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        written += bytes.readableBytes
        if let promise { writes.append((written, promise)) }
        connection.write(bytes, window: stream)
    }

    func flush0() { connection.flushSoon() }

    func close0(error: any Error, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard isActive, mode == .all else {
            promise?.fail(ChannelError.operationUnsupported)
            return
        }
        connection.end(window: stream, isAwaited: !isInputEnded)
        ended()
        promise?.succeed()
    }

    func channelRead0(_: NIOAny) {}

    func errorCaught0(error: any Error) {}

    // MARK: What a stream does not have

    func localAddress0() throws -> SocketAddress { throw ChannelError.operationUnsupported }

    func remoteAddress0() throws -> SocketAddress { throw ChannelError.operationUnsupported }

    func register0(promise: EventLoopPromise<Void>?) { promise?.fail(ChannelError.operationUnsupported) }

    func bind0(to _: SocketAddress, promise: EventLoopPromise<Void>?) { register0(promise: promise) }

    func connect0(to _: SocketAddress, promise: EventLoopPromise<Void>?) { register0(promise: promise) }

    func triggerUserOutboundEvent0(_: Any, promise: EventLoopPromise<Void>?) { register0(promise: promise) }

    func setOption<Option: ChannelOption>(_: Option, value _: Option.Value) -> EventLoopFuture<Void> {
        eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
    }

    func getOption<Option: ChannelOption>(_: Option) -> EventLoopFuture<Option.Value> {
        eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
    }
}
