package import NIOCore

/// The events of TLS on a connection, for the handlers behind it.
package enum TLSEvent: Sendable {
    /// The handshake is complete; with the protocol of what follows.
    case established(TLSApplicationProtocol)
}

extension TLSServerContext {
    /// Adds TLS to an accepted connection: the handlers before it see TLS records, those behind it plaintext.
    ///
    /// Call it on the connection's event loop, with handlers behind it that do not write before they have read. A
    /// handshake has no deadline here. ``TLSEvent/established(_:)`` is fired when it is complete.
    ///
    /// - Parameters:
    ///   - channel: The connection.
    ///   - replyToPlaintext: Returns the bytes for a peer that speaks no TLS but a text protocol such as HTTP. They are
    ///     sent, and the output is closed.
    /// - Throws: `TLSFailure.configuration` when there is no session; an error of the channel when it is closed.
    package func secure(_ channel: any Channel, replyToPlaintext: @escaping () -> ByteBuffer) throws {
        let handler = TLSHandler(tls: try TLSSession(server: self), replyToPlaintext: replyToPlaintext)
        try channel.pipeline.syncOperations.addHandler(handler)
    }
}

extension TLSClientContext {
    /// Adds TLS to a connection that is being opened: the handlers before it see TLS records, those behind it plaintext.
    ///
    /// Call it on the connection's event loop, before the connection is active. What the handlers behind it write waits for
    /// the handshake, which has no deadline here. An error of TLS is fired as `TLSFailure`, and closes the connection.
    ///
    /// - Parameters:
    ///   - channel: The connection.
    ///   - serverName: The name that the server is verified as: a DNS name, or an IP address as text.
    ///   - applicationProtocol: The protocol that is offered.
    /// - Throws: `TLSFailure.configuration` when there is no session; an error of the channel when it is closed.
    package func secure(
        _ channel: any Channel,
        serverName: String,
        offering applicationProtocol: TLSApplicationProtocol
    ) throws {
        let tls = try TLSSession(client: self, serverName: serverName, offering: applicationProtocol)
        try channel.pipeline.syncOperations.addHandler(TLSHandler(tls: tls, replyToPlaintext: nil))
    }
}

/// TLS in a pipeline of byte handlers.
///
/// Confined to its channel's event loop.
final class TLSHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// The most plaintext of a TLS record (RFC 8446 section 5.1): small writes are combined up to it.
    private static let recordSize = 16_384

    private let tls: TLSSession
    /// The most bytes that libssl may send by itself after the handshake, when the peer asks for new keys or for a
    /// renegotiation: up to eight times the bytes of the request, which the peer need not read.
    private let maxReplyBytes: Int
    /// Returns the bytes for a peer that speaks no TLS; nil on the side of the client.
    private let replyToPlaintext: (() -> ByteBuffer)?
    private var replyBytes = 0
    private var hasBegun = false
    /// Whether bytes of the peer are still passed on.
    private var isReading = true
    /// Whether bytes for the peer are still accepted.
    private var isWriting = true
    /// Plaintext that waits for a flush, or for the handshake.
    private var unencrypted = ByteBuffer()
    /// The promises of that plaintext's writes.
    private var promises: [EventLoopPromise<Void>] = []

    init(tls: TLSSession, maxReplyBytes: Int = 16_384, replyToPlaintext: (() -> ByteBuffer)?) {
        self.tls = tls
        self.maxReplyBytes = maxReplyBytes
        self.replyToPlaintext = replyToPlaintext
    }

    private var isClient: Bool { replyToPlaintext == nil }

    func channelActive(context: ChannelHandlerContext) {
        if isClient {
            do throws(TLSFailure) {
                _ = try tls.handshake()
                flushOutput(context)
            } catch {
                fail(context, error)
            }
        }
        context.fireChannelActive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { stop() }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    // MARK: Incoming

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        guard isReading, bytes.readableBytes > 0 else { return }
        if !hasBegun {
            hasBegun = true
            if let replyToPlaintext, Self.isText(bytes) { return reject(context, with: replyToPlaintext()) }
        }
        do throws(TLSFailure) {
            try receive(bytes, context)
        } catch {
            fail(context, error)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event as? ChannelEvent == .inputClosed else { return context.fireUserInboundEventTriggered(event) }
        if tls.isEstablished {
            endReading(context)
        } else {
            context.close(promise: nil)
        }
    }

    /// Whether a connection begins with a letter, as a request of HTTP does; TLS begins with a byte of 22 (RFC 8446
    /// section 5.1).
    private static func isText(_ bytes: ByteBuffer) -> Bool {
        guard let first = bytes.getInteger(at: bytes.readerIndex, as: UInt8.self) else { return false }
        return (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first & ~0x20)
    }

    private func reject(_ context: ChannelHandlerContext, with reply: ByteBuffer) {
        stop()
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(reply)), promise: nil)
        // A full close now could reset the connection before the peer has read the reply.
        context.close(mode: .output, promise: nil)
    }

    private func receive(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) throws(TLSFailure) {
        try bytes.withUnsafeReadableBytes { (bytes) throws(TLSFailure) in try tls.receive(bytes) }
        if !tls.isEstablished {
            let isEstablished = try tls.handshake()
            flushOutput(context)
            guard isEstablished else { return }
            let isHTTP2 = tls.negotiatedProtocol == "h2"
            context.fireUserInboundEventTriggered(TLSEvent.established(isHTTP2 ? .http2 : .http1))
            // What a client has written before.
            if unencrypted.readableBytes > 0 { flush(context: context) }
        }
        var plaintext = context.channel.allocator.buffer(capacity: bytes.readableBytes)
        var result = TLSSession.ReadResult.bytes(0)
        while case .bytes = result { result = try read(into: &plaintext) }
        replyBytes += tls.pendingOutput
        guard replyBytes <= maxReplyBytes else { throw .broken("too many requests for new keys") }
        flushOutput(context)
        if plaintext.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(plaintext)) }
        if result == .closed { endReading(context) }
    }

    private func read(into plaintext: inout ByteBuffer) throws(TLSFailure) -> TLSSession.ReadResult {
        var result = TLSSession.ReadResult.needsMore
        try plaintext.writeWithUnsafeMutableBytes(minimumWritableBytes: 1) { (space) throws(TLSFailure) -> Int in
            result = try tls.read(into: space)
            guard case .bytes(let count) = result else { return 0 }
            return count
        }
        return result
    }

    /// Reports the end of the peer's bytes once; responses may still be written (RFC 8446 section 6.1).
    private func endReading(_ context: ChannelHandlerContext) {
        guard isReading else { return }
        isReading = false
        context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }

    // MARK: Outgoing

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isWriting, tls.isEstablished || isClient, case .byteBuffer(var bytes) = unwrapOutboundIn(data) else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        if unencrypted.readableBytes == 0 {
            unencrypted = bytes
        } else {
            unencrypted.writeBuffer(&bytes)
        }
        if let promise { promises.append(promise) }
        if unencrypted.readableBytes >= Self.recordSize { encrypt(context) }
    }

    func flush(context: ChannelHandlerContext) {
        encrypt(context)
        context.flush()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode != .input { endWriting(context) }
        if mode == .all { isReading = false }
        context.close(mode: mode, promise: promise)
    }

    /// Encrypts and writes the waiting plaintext, without a flush.
    private func encrypt(_ context: ChannelHandlerContext) {
        guard tls.isEstablished else { return }
        do throws(TLSFailure) {
            while let record = nextRecord() {
                try record.withUnsafeReadableBytes { (bytes) throws(TLSFailure) in try tls.write(bytes) }
                writeOutput(context)
            }
        } catch {
            return fail(context, error)
        }
        unencrypted = ByteBuffer()
        // A promise's callback may write.
        let written = promises
        promises = []
        for promise in written {
            // Fulfilled in order, behind the bytes.
            context.write(wrapOutboundOut(.byteBuffer(ByteBuffer())), promise: promise)
        }
    }

    private func nextRecord() -> ByteBuffer? {
        let count = min(unencrypted.readableBytes, Self.recordSize)
        return count > 0 ? unencrypted.readSlice(length: count) : nil
    }

    /// Writes what waits, and close_notify.
    private func endWriting(_ context: ChannelHandlerContext) {
        guard isWriting, tls.isEstablished else { return }
        encrypt(context)
        // The encryption may have failed.
        guard isWriting else { return }
        isWriting = false
        tls.close()
        flushOutput(context)
    }

    private func flushOutput(_ context: ChannelHandlerContext) {
        guard tls.pendingOutput > 0 else { return }
        writeOutput(context)
        context.flush()
    }

    private func writeOutput(_ context: ChannelHandlerContext) {
        let pending = tls.pendingOutput
        guard pending > 0 else { return }
        var buffer = context.channel.allocator.buffer(capacity: pending)
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: pending) { bytes in tls.takeOutput(into: bytes) }
        context.write(wrapOutboundOut(.byteBuffer(buffer)), promise: nil)
    }

    // MARK: End

    /// Sends the alert that libssl wrote, and closes; a client's handlers get the error.
    private func fail(_ context: ChannelHandlerContext, _ error: TLSFailure) {
        stop()
        flushOutput(context)
        if isClient { context.fireErrorCaught(error) }
        context.close(promise: nil)
    }

    private func stop() {
        isReading = false
        isWriting = false
        unencrypted = ByteBuffer()
        let unwritten = promises
        promises = []
        for promise in unwritten { promise.fail(ChannelError.ioOnClosedChannel) }
    }
}
