internal import CoreMetrics
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import NIOHTTPTypes
internal import Telemetry
internal import TextFormats

/// A handler between the HTTP codec and Hummingbird: reports the start and end of requests to the connection's guard,
/// and responds to requests that must not reach the routes.
///
/// Confined to the connection's event loop.
final class RequestGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Asks for the body that a request announced with `Expect: 100-continue`.
    struct Continue: Sendable {}

    /// Asks for a notice when the client sends nothing more: it disconnected, ended its side, or does not speak HTTP.
    struct Watch: Sendable {
        /// Is finished then.
        let watcher: AsyncStream<Never>.Continuation
    }

    private let connection: ConnectionGuard
    /// The limit that the connection exceeds.
    private let surplus: RejectionLabel?
    private let metrics: HTTPMetrics
    /// The number of requests whose heads arrived and whose responses are not finished.
    private var unanswered = 0
    private var isResponding = false
    private var isReading = false
    /// The error of a request that must not reach the routes, while the responses before its own are due; no later
    /// request is read.
    private var rejection: Problem?
    /// Set when this handler has sent the last response: nothing passes any more.
    private var isOver = false
    /// Whether the current request is the connection's last one.
    private var isLast = false
    private var requestFields: HTTPFields?
    /// Whether the client sends nothing more.
    private var isInputOver = false
    private var watcher: AsyncStream<Never>.Continuation?

    init(connection: ConnectionGuard, surplus: RejectionLabel?, metrics: HTTPMetrics) {
        self.connection = connection
        self.surplus = surplus
        self.metrics = metrics
    }

    func handlerAdded(context: ChannelHandlerContext) {
        connection.onSlowBody = { [unowned self] in self.rejectSlowBody(context) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        inputEnded()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { inputEnded() }
        context.fireUserInboundEventTriggered(event)
    }

    private func inputEnded() {
        isInputOver = true
        watcher?.finish()
        watcher = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .head where isOver || rejection != nil: return
        case .head(let head):
            connection.watch.headArrived(now: context.eventLoop.now)
            isReading = true
            unanswered += 1
            requestFields = head.headerFields
            // The codec treats the following bytes as another protocol: no further request would be read.
            if head.headerFields[.upgrade] != nil || head.method == .connect { isLast = true }
            if let problem = RequestHeadRules.rejection(of: head, surplus: surplus, metrics: metrics) {
                guard unanswered == 1 else {
                    rejection = problem
                    return
                }
                return respond(context, problem)
            }
        case .body: connection.watch.bodyBegan()
        case .end:
            connection.watch.requestArrived()
            isReading = false
            // Closing before the request's end would reset the connection, and the caller might not receive the
            // response.
            if isOver { context.close(promise: nil) }
        }
        if !isOver, rejection == nil { context.fireChannelRead(data) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isOver else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        var data = data
        switch Self.unwrapOutboundIn(data) {
        case .head(var head):
            isResponding = head.status.kind != .informational
            if isLast, unanswered == 1, isResponding {
                head.headerFields[.connection] = "close"
                data = Self.wrapOutboundOut(.head(head))
            }
        case .body: break
        case .end:
            isResponding = false
            unanswered -= 1
            if surplus != nil || isLast && unanswered == 0 {
                context.writeAndFlush(data, promise: promise)
                context.close(promise: nil)
                return
            }
            if let problem = rejection, unanswered == 1 {
                context.write(data, promise: promise)
                respond(context, problem)
                if !isReading { context.close(promise: nil) }
                return
            }
        }
        context.write(data, promise: promise)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        if let watch = event as? Watch {
            if isInputOver { watch.watcher.finish() } else { watcher = watch.watcher }
            promise?.succeed()
            return
        }
        guard event is Continue else { return context.triggerUserOutboundEvent(event, promise: promise) }
        // Only for the request whose response is due, as long as its body has not arrived.
        guard isReading, unanswered == 1, !isResponding, !isOver else {
            promise?.succeed()
            return
        }
        context.writeAndFlush(Self.wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Not HTTP: Hummingbird responds with 400 and ends its side; nothing more is read.
        connection.watch.requestArrived()
        inputEnded()
        context.fireErrorCaught(error)
    }

    /// Responds with 408 when the response that is due is that of the incomplete request; false when the connection
    /// must be closed without a response.
    private func rejectSlowBody(_ context: ChannelHandlerContext) -> Bool {
        guard isReading, unanswered == 1, !isResponding, !isOver else { return false }
        respond(context, .slowBody)
        context.close(promise: nil)
        return true
    }

    private func respond(_ context: ChannelHandlerContext, _ problem: Problem) {
        isOver = true
        var (head, body) = problem.message(requestID: requestFields?[.xRequestID])
        head.headerFields[.connection] = "close"
        context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
        context.write(Self.wrapOutboundOut(.body(body)), promise: nil)
        context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
    }
}
