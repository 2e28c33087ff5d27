internal import CNghttp2
package import NIOCore

/// The server side of HTTP/2 in a pipeline: the last handler, which turns bytes into streams of requests and responses.
///
/// `flush` sends the responses that wait. Confined to its channel's event loop.
package final class HTTP2StreamHandler: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = ByteBuffer
    package typealias OutboundIn = Never
    package typealias OutboundOut = IOData

    private static let writeSize = 65_536
    /// The longest wait for the client's response to PING between the two GOAWAY of a stop.
    private static let stopDelay = TimeAmount.seconds(1)

    private let framing: StreamFraming
    private var owner: (any HTTP2StreamOwner)?
    private var context: ChannelHandlerContext?
    private var isRunning = false
    /// Set when the last frame has been written: nothing is read or written any more.
    private var isOver = false
    private var isStopping = false
    private var hasStopped = false
    private var isFlooded = false

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - configuration: The limits.
    ///   - owner: The receiver of requests; retained until the connection ends.
    /// - Throws: `HTTP2ConnectionFailure` when there is no memory.
    package init(configuration: HTTP2StreamConfiguration, owner: any HTTP2StreamOwner) throws(HTTP2ConnectionFailure) {
        framing = try StreamFraming(configuration: configuration, now: .now())
        self.owner = owner
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        flush()
    }

    package func handlerRemoved(context: ChannelHandlerContext) { closed() }

    package func channelInactive(context: ChannelHandlerContext) {
        closed()
        context.fireChannelInactive()
    }

    private func closed() {
        isOver = true
        context = nil
        owner?.connectionClosed()
        owner = nil
    }

    // MARK: Incoming

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        do throws(HTTP2ConnectionFailure) {
            let now = context.eventLoop.now
            try unwrapInboundIn(data).withUnsafeReadableBytes { (bytes) throws(HTTP2ConnectionFailure) in
                try framing.receive(bytes, now: now)
            }
        } catch {
            // nghttp2 accepts no more bytes: another protocol, or a flood that only nghttp2 detects.
            return fail(context, framing.hasBegun ? .enhanceYourCalm : .protocolError)
        }
        _ = deliver()
        guard !isOver else { return }
        _ = endFlood()
        owner?.bytesHandled(isWithinHead: framing.budget.isWithinHead)
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        flush()
        context.fireChannelReadComplete()
    }

    package func read(context: ChannelHandlerContext) {
        // A peer that is not read any more cannot cause work until its connection is closed.
        if !isOver { context.read() }
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        flush()
        context.fireChannelWritabilityChanged()
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            owner?.stopRequested()
        } else if event as? ChannelEvent == .inputClosed {
            // Without window updates most responses could not be sent.
            context.close(promise: nil)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    /// Passes on the events since the last call; false if there are none.
    private func deliver() -> Bool {
        let events = framing.takeEvents()
        for event in events {
            switch event {
            case .pingAcknowledged: finishStop()
            case .head(let stream):
                if let head = framing.takeHead(of: stream) { owner?.headArrived(head, stream: stream) }
            case .body(let stream, let bytes): owner?.bodyArrived(bytes, stream: stream)
            case .end(let stream): owner?.requestEnded(stream: stream)
            case .responseSent(let stream): owner?.responseSent(stream: stream)
            case .closed(let stream): owner?.streamClosed(stream)
            }
        }
        return !events.isEmpty
    }

    /// Submits GOAWAY when the client has exceeded its budget; true if there is one to be written.
    private func endFlood() -> Bool {
        guard framing.budget.isExceeded, !isFlooded else { return false }
        isFlooded = true
        framing.terminate(errorCode: HTTP2ErrorCode.enhanceYourCalm.rawValue)
        owner?.flooded()
        return true
    }

    // MARK: Responses

    /// Submits the head of a response.
    ///
    /// - Parameters:
    ///   - stream: The request's stream; nothing happens when it has ended.
    ///   - status: The status, 200 to 999.
    ///   - fields: The header fields, names in lower case.
    ///   - hasBody: Whether `write` follows; without it the response is complete.
    package func respond(stream: Int32, status: Int, fields: [(name: String, value: String)], hasBody: Bool) {
        framing.respond(stream: stream, status: status, fields: fields, hasBody: hasBody)
    }

    /// Submits an interim response without fields.
    package func respondInterim(stream: Int32, status: Int) { framing.respondInterim(stream: stream, status: status) }

    /// Submits bytes of a response's body; they are sent as far as the client's windows allow.
    package func write(_ bytes: ByteBuffer, stream: Int32, isLast: Bool) {
        framing.write(bytes, stream: stream, isLast: isLast)
    }

    /// The bytes of a response that wait to be sent.
    package func unsentBytes(of stream: Int32) -> Int { framing.unsentBytes(of: stream) }

    /// The bytes of all responses that wait to be sent.
    package var unsentBytes: Int { framing.unsentBytes }

    /// Grants windows for bytes of a body that have been read or dropped.
    package func consume(stream: Int32, bytes: Int) { framing.consume(stream: stream, bytes: bytes) }

    /// Grants the connection's window for bytes that wait for their reader, so that other streams do not wait with them.
    package func consumeConnection(bytes: Int) { framing.consumeConnection(bytes: bytes) }

    /// Grants the stream's window for bytes whose connection's window is granted.
    package func consumeStream(_ stream: Int32, bytes: Int) { framing.consumeStream(stream, bytes: bytes) }

    /// Submits RST_STREAM.
    package func reset(stream: Int32, _ code: HTTP2ErrorCode) {
        framing.submitReset(stream: stream, errorCode: code.rawValue)
    }

    /// Ends the connection gracefully, in two steps (RFC 9113 section 6.8): requests that are on their way and those in
    /// progress get their responses.
    package func stop() {
        guard !isStopping, !isOver, let context else { return }
        isStopping = true
        framing.submitShutdownNotice()
        framing.submitPing()
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.stopDelay) { self.finishStop() }
        flush()
    }

    /// Sends the second GOAWAY, which names the last stream; the connection ends with the last stream.
    private func finishStop() {
        guard isStopping, !hasStopped, !isOver else { return }
        hasStopped = true
        framing.submitGoAway(
            lastStreamID: framing.lastProcessedStreamID,
            errorCode: HTTP2ErrorCode.noError.rawValue,
            debugData: []
        )
        flush()
    }

    /// Sends what was submitted, as far as the windows and the socket allow.
    package func flush() {
        guard !isRunning, !isOver, let context else { return }
        isRunning = true
        // What is submitted for an event is written too.
        repeat { write(context) } while !isOver && (deliver() || endFlood())
        isRunning = false
        guard !isOver else { return }
        owner?.framesWritten()
        if framing.isFinished { end(context) }
    }

    private func write(_ context: ChannelHandlerContext) {
        var buffer = ByteBuffer()
        var isWritten = false
        do throws(HTTP2ConnectionFailure) {
            while context.channel.isWritable, let chunk = try framing.nextChunk() {
                buffer.writeBytes(chunk)
                isWritten = true
                guard buffer.readableBytes >= Self.writeSize else { continue }
                context.write(wrapOutboundOut(.byteBuffer(buffer)), promise: nil)
                buffer = ByteBuffer()
            }
        } catch {
            return fail(context, .internalError)
        }
        if buffer.readableBytes > 0 { context.write(wrapOutboundOut(.byteBuffer(buffer)), promise: nil) }
        if isWritten { context.flush() }
    }

    // MARK: End

    /// Closes after the last frame.
    private func end(_ context: ChannelHandlerContext) {
        isOver = true
        // After an error the peer may still send: a full close would reset the connection, and the peer might not receive
        // GOAWAY. The connection's guard closes it.
        guard !isFlooded, isStopping || framing.isPeerLeaving else {
            return context.close(mode: .output, promise: nil)
        }
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(ByteBuffer())), promise: written)
    }

    /// Sends GOAWAY without nghttp2, which cannot continue.
    private func fail(_ context: ChannelHandlerContext, _ code: HTTP2ErrorCode) {
        isOver = true
        if code == .enhanceYourCalm { owner?.flooded() }
        var frame = ByteBuffer()
        // Length, type and flags, the connection as stream; RFC 9113 sections 4.1 and 6.8.
        frame.writeBytes([0, 0, 8, UInt8(NGHTTP2_GOAWAY.rawValue), 0, 0, 0, 0, 0])
        frame.writeInteger(UInt32(max(framing.lastProcessedStreamID, 0)))
        frame.writeInteger(code.rawValue)
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(frame)), promise: nil)
        context.close(mode: .output, promise: nil)
    }
}
