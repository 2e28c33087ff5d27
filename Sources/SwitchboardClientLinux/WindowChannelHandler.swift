import NIOCore
import NIOWebSocket
import SwitchboardClient

/// The channel handler of a device's window; confined to its event loop.
///
/// It reads a few messages ahead of the client: then the channel is not read until the client has caught up.
final class WindowChannelHandler: ChannelDuplexHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// The most messages that wait before the channel is no longer read.
    static let maxWaiting = 16

    private var context: ChannelHandlerContext?
    private var loop: (any EventLoop)?
    private var inputs: [WindowInput] = []
    private var reader: EventLoopPromise<WindowInput>?
    private var pings: [EventLoopPromise<Void>] = []
    /// The error after the inputs that wait; nil while there is a connection.
    private var failure: (any Error)?
    private var isReadPending = false
    private var hasSentClose = false

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        loop = context.eventLoop
    }

    func handlerRemoved(context: ChannelHandlerContext) { end(ChannelError.eof) }

    func channelInactive(context: ChannelHandlerContext) {
        end(ChannelError.eof)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? NIOWebSocketError {
            if case .invalidFrameLength = error { sendClose(.messageTooLarge) } else { sendClose(.protocolError) }
        } else if let error = error as? NIOWebSocketFrameAggregator.Error {
            sendClose(error == .accumulatedFrameSizeIsTooLarge ? .messageTooLarge : .protocolError)
        }
        end(error)
        context.close(promise: nil)
    }

    func read(context: ChannelHandlerContext) {
        if inputs.count < Self.maxWaiting { context.read() } else { isReadPending = true }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = Self.unwrapInboundIn(data)
        // A server does not mask (RFC 6455 section 5.1).
        guard failure == nil, frame.maskKey == nil else { return }
        switch frame.opcode {
        case .text: deliver(.text(String(buffer: frame.data)))
        case .ping: write(.pong, frame.data)
        case .pong: if !pings.isEmpty { pings.removeFirst().succeed() }
        case .connectionClose:
            var reason = frame.data
            let code = reason.readInteger(as: UInt16.self)
            deliver(.closed(code: code.map { Int($0) }, reason: String(buffer: reason)))
            sendClose(code.map { WebSocketErrorCode(codeNumber: Int($0)) } ?? .normalClosure)
            end(ChannelError.eof)
            context.close(promise: nil)
        default:
            sendClose(.protocolError)
            end(ChannelError.eof)
            context.close(promise: nil)
        }
    }

    private func deliver(_ input: WindowInput) {
        if let reader {
            self.reader = nil
            reader.succeed(input)
        } else {
            inputs.append(input)
        }
    }

    /// Ends the input; what has arrived can still be read.
    private func end(_ error: any Error) {
        context = nil
        guard failure == nil else { return }
        failure = error
        reader?.fail(error)
        reader = nil
        for ping in pings { ping.fail(error) }
        pings = []
    }

    private func write(_ opcode: WebSocketOpcode, _ data: ByteBuffer) {
        let frame = WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data)
        context?.writeAndFlush(Self.wrapOutboundOut(frame), promise: nil)
    }

    private func sendClose(_ code: WebSocketErrorCode) {
        guard !hasSentClose else { return }
        hasSentClose = true
        var data = ByteBuffer()
        data.write(webSocketErrorCode: code)
        write(.connectionClose, data)
    }

    // MARK: Calls of the connection

    /// Returns the next input.
    func next() -> EventLoopFuture<WindowInput> {
        guard let loop else { preconditionFailure("the handler is in no channel") }
        if !inputs.isEmpty {
            let input = inputs.removeFirst()
            if isReadPending {
                isReadPending = false
                context?.read()
            }
            return loop.makeSucceededFuture(input)
        }
        if let failure { return loop.makeFailedFuture(failure) }
        let promise = loop.makePromise(of: WindowInput.self)
        // The client reads one after the other; an earlier call has no use for an input any more.
        reader?.fail(ChannelError.alreadyClosed)
        reader = promise
        return promise.futureResult
    }

    /// Sends a ping and returns when its pong has come.
    func ping() -> EventLoopFuture<Void> {
        guard let loop else { preconditionFailure("the handler is in no channel") }
        if let failure { return loop.makeFailedFuture(failure) }
        let promise = loop.makePromise(of: Void.self)
        pings.append(promise)
        write(.ping, ByteBuffer())
        return promise.futureResult
    }

    /// Closes the channel at once.
    func close() {
        guard let context else { return }
        sendClose(.normalClosure)
        end(ChannelError.alreadyClosed)
        context.close(promise: nil)
    }
}
