internal import NIOCore

/// The channel handler of a connection to a proxy until the tunnel is open: sends CONNECT, reads the response, and
/// leaves the pipeline.
///
/// Confined to its channel's event loop; the channel reads only when asked, so that no byte of the tunnel is lost.
final class ProxyTunnelHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let proxy: String
    private let request: String
    private let deadline: NIODeadline
    private let opened: EventLoopPromise<Void>
    private var head = ProxyResponseHead()
    private var context: ChannelHandlerContext?
    private var timer: Scheduled<Void>?
    private var isEnded = false

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - proxy: The proxy as `host:port`, for errors.
    ///   - request: The head of the CONNECT request; a secret if it holds credentials.
    ///   - deadline: The time when the response must be complete.
    ///   - opened: Succeeds when the tunnel is open and the handler removed; fails with
    ///     ``HTTP2ConnectionFailure/proxy(_:)``, and then the channel is closed.
    init(proxy: String, request: String, deadline: NIODeadline, opened: EventLoopPromise<Void>) {
        self.proxy = proxy
        self.request = request
        self.deadline = deadline
        self.opened = opened
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.fail(.timedOut) }
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(string: request)), promise: nil)
        context.read()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        fail(.closed)
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isEnded else { return }
        switch head.read(unwrapInboundIn(data).readableBytesView) {
        case .needsMore: break
        case .failed(let cause): fail(cause)
        case .opened:
            isEnded = true
            timer?.cancel()
            context.pipeline.syncOperations.removeHandler(context: context, promise: opened)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if !isEnded { context.read() }
        context.fireChannelReadComplete()
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(.closed)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(.unreachable("\(error)"))
    }

    private func fail(_ cause: HTTP2ProxyFailure.Cause) {
        guard !isEnded else { return }
        isEnded = true
        timer?.cancel()
        opened.fail(HTTP2ConnectionFailure.proxy(HTTP2ProxyFailure(proxy: proxy, cause: cause)))
        context?.close(promise: nil)
    }
}
