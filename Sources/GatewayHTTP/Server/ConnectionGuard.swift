internal import CoreMetrics
internal import NIOCore
internal import Telemetry

/// Watches the transfer of a connection's bytes next to the socket, and closes the connection when the peer is too
/// slow.
///
/// One timer per connection, armed by the first byte and checked a few times within the limit, so that a busy
/// connection has no cost per request. With TLS it is armed at once, for the handshake. The handler of TLS is behind
/// it: it counts the bytes of the socket. Confined to the connection's event loop.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = IOData

    /// The state that the connection's requests update.
    var watch: SlowPeerDetector
    /// Called instead of closing when a request's body does not arrive.
    var onSlowBody: () -> Bool = { false }

    /// Checks the streams of HTTP/2 as often as the connection; true if some must be checked again.
    var onCheck: (NIODeadline) -> Bool = { _ in false }

    private let tick: TimeAmount
    private let isSecure: Bool
    private let metrics: HTTPMetrics
    private var isPeerAwaited = false
    private var timer: Scheduled<Void>?
    private var context: ChannelHandlerContext?

    init(limit: TimeAmount, start: TimeAmount, isSecure: Bool = false, metrics: HTTPMetrics) {
        watch = SlowPeerDetector(limit: limit, start: start)
        // Coarse: a peer is disconnected after a limit and at most a quarter of the shorter one.
        tick = .nanoseconds(max(min(limit, start).nanoseconds / 4, 1_000_000))
        self.isSecure = isSecure
        self.metrics = metrics
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        guard isSecure else { return }
        watch.handshakeBegan(now: context.eventLoop.now)
        arm(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        stop()
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    func read(context: ChannelHandlerContext) {
        isPeerAwaited = true
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isPeerAwaited = false
        watch.bytesArrived(now: context.eventLoop.now)
        arm(context)
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        watch.wrote(bytes: Self.unwrapOutboundIn(data).readableBytes)
        arm(context)
        context.write(data, promise: promise)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .output {
            watch.ended(now: context.eventLoop.now)
            arm(context)
        }
        context.close(mode: mode, promise: promise)
    }

    /// Watches responses that no byte can be written of.
    func watchResponses() { if let context { arm(context) } }

    private func arm(_ context: ChannelHandlerContext) {
        guard timer == nil else { return }
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: tick) { self.check(context) }
    }

    private func stop() {
        timer?.cancel()
        timer = nil
        // They retain the handlers after this one.
        onSlowBody = { false }
        onCheck = { _ in false }
    }

    private func check(_ context: ChannelHandlerContext) {
        timer = nil
        let buffered = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        let now = context.eventLoop.now
        if onCheck(now) { arm(context) }
        switch watch.check(now: now, buffered: buffered, isPeerAwaited: isPeerAwaited) {
        case .idle: break
        case .checkAgain: arm(context)
        case .close: context.close(promise: nil)
        case .cut(let reason):
            metrics.cutOff[reason].increment()
            if reason != .slowBody || !onSlowBody() { context.close(promise: nil) }
        }
    }
}
