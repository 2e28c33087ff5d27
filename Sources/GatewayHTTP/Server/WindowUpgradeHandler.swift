internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import Messaging
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1
internal import NIOWebSocket
internal import TLS
internal import Telemetry
internal import TextFormats

/// Reads the heads of requests, which determine the connection's protocol: HTTP, or a messaging window.
///
/// It is directly after the HTTP codec. The other handlers for HTTP are added with the first request that needs them,
/// so that a connection that begins as a window has none of them. A window that opens later, for example on a proxy's
/// kept-alive connection, leaves those handlers behind it in the pipeline, where nothing reaches them any more.
/// Confined to the connection's event loop.
final class WindowUpgradeHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum State {
        case waiting
        /// Requests arrived that are not for a window; the number of those without a complete response.
        case http(unanswered: Int)
        /// A valid request for a window arrived; its end is expected.
        case upgrading(WindowRequest, HTTPRequestHead, HTTPHeaders)
        case window
    }

    /// Completed when the connection becomes HTTP; nil when it becomes a window, or ends first.
    let opened: EventLoopPromise<GuardedHTTPChannel.HTTP?>
    private let connection: ConnectionGuard
    private let slot: ConnectionSlot
    /// The limit that the connection exceeds.
    private let surplus: RejectionLabel?
    /// Whether the connection is over TLS.
    private let isSecure: Bool
    private let idleTimeout: Duration
    private let windows: WindowHandler.Shell?
    private let events: DirectEvents?
    private let metrics: HTTPMetrics
    private let logger: Logger
    private let encoder = HTTPResponseEncoder()
    private let requests = RequestDecoder()
    private let decoder: ByteToMessageHandler<RequestDecoder>
    /// Whether the decoder takes what follows the current request for another protocol, which the request asks for.
    private var isDecoderBlocked = false
    private var state = State.waiting
    private var idle: Scheduled<Void>?
    /// The handler that closes an idle HTTP connection; nil until the connection is one.
    private var httpState: HTTPConnectionStateHandler?

    init(
        connection: ConnectionGuard,
        slot: ConnectionSlot,
        surplus: RejectionLabel?,
        isSecure: Bool,
        idleTimeout: Duration,
        windows: WindowHandler.Shell?,
        events: DirectEvents?,
        metrics: HTTPMetrics,
        logger: Logger,
        opened: EventLoopPromise<GuardedHTTPChannel.HTTP?>
    ) {
        self.connection = connection
        self.slot = slot
        self.surplus = surplus
        self.isSecure = isSecure
        self.idleTimeout = idleTimeout
        self.windows = windows
        self.events = events
        self.metrics = metrics
        self.logger = logger
        self.opened = opened
        decoder = ByteToMessageHandler(requests)
    }

    /// Adds the HTTP codec, and this handler after it.
    func addToPipeline(of channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(encoder)
        try pipeline.addHandler(decoder)
        try pipeline.addHandler(self)
    }

    /// Removes them; the connection is HTTP/2.
    func removeFromPipeline(of channel: any Channel) {
        let pipeline = channel.pipeline.syncOperations
        pipeline.removeHandler(encoder, promise: nil)
        pipeline.removeHandler(decoder, promise: nil)
        pipeline.removeHandler(self, promise: nil)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        idle = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(idleTimeout)) {
            context.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        stopIdle()
        // Does nothing when the connection is HTTP.
        opened.succeed(nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        opened.succeed(nil)
        context.fireChannelInactive()
    }

    // MARK: Incoming

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch state {
        case .window: context.fireChannelRead(data)
        case .waiting:
            if case .head(let head) = Self.unwrapInboundIn(data), beginUpgrade(context, head) { return }
            becomeHTTP(context)
            requestPartArrived(context, data)
        case .http: requestPartArrived(context, data)
        case .upgrading(let request, let head, let fields):
            switch Self.unwrapInboundIn(data) {
            case .end: becomeWindow(context, request, head, fields)
            case .head, .body: context.close(promise: nil)
            }
        }
    }

    private func requestPartArrived(_ context: ChannelHandlerContext, _ data: NIOAny) {
        if isDecoderBlocked, case .end = Self.unwrapInboundIn(data) {
            isDecoderBlocked = false
            requests.mustRestart = true
        }
        guard case .http(let unanswered) = state, case .head(var head) = Self.unwrapInboundIn(data) else {
            return context.fireChannelRead(data)
        }
        // A request that arrives while others are in progress is handled as HTTP.
        if unanswered == 0, beginUpgrade(context, head) { return }
        state = .http(unanswered: unanswered + 1)
        if head.version == .http1_0 {
            // A request need not have a `Host`, and there are no interim responses.
            if !head.headers.contains(name: "host") { head.headers.add(name: "host", value: "") }
            head.headers.remove(name: "expect")
            // The connection ends with the response unless the request asks for more (RFC 9112 section 9.3).
            if !WindowRequest.names("connection", head.headers).contains("keep-alive") {
                head.headers.replaceOrAdd(name: "connection", value: "close")
            }
        }
        // One that asks for a protocol that is not spoken is ignored (RFC 9110 section 7.8), such as that of Java's client
        // for `h2c`.
        let upgrades = WindowRequest.names("upgrade", head.headers)
        if !upgrades.isEmpty, !upgrades.contains("websocket"), head.method != .CONNECT {
            isDecoderBlocked = WindowRequest.names("connection", head.headers).contains("upgrade")
            head.headers.remove(name: "upgrade")
        }
        context.fireChannelRead(Self.wrapInboundOut(.head(head)))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .http(let unanswered) = state, case .end = Self.unwrapOutboundIn(data) {
            state = .http(unanswered: unanswered - 1)
        }
        context.write(data, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Not HTTP: Hummingbird responds.
        if case .waiting = state { becomeHTTP(context) }
        context.fireErrorCaught(error)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is TLSEvent { return connection.watch.handshakeEnded() }
        guard case .waiting = state else { return context.fireUserInboundEventTriggered(event) }
        // There was no request: there is nothing to respond to.
        if event is ChannelShouldQuiesceEvent || event as? ChannelEvent == .inputClosed {
            context.close(promise: nil)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    // MARK: Protocol

    private func becomeHTTP(_ context: ChannelHandlerContext) {
        state = .http(unanswered: 0)
        stopIdle()
        let pipeline = context.pipeline.syncOperations
        let httpState = HTTPConnectionStateHandler(idleTimeout: idleTimeout, logger: logger)
        self.httpState = httpState
        do {
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: isSecure))
            try pipeline.addHandler(RequestGuard(connection: connection, surplus: surplus, metrics: metrics))
            try pipeline.addHandler(httpState)
            if let events { try pipeline.addHandler(DirectEventHandler(events)) }
            let channel = try NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>(
                wrappingChannelSynchronously: context.channel,
                configuration: .init(isOutboundHalfClosureEnabled: true)
            )
            opened.succeed(.http1(channel))
        } catch {
            opened.fail(error)
            context.close(promise: nil)
        }
    }

    /// Reads the head of a request for a window; false when it is handled as HTTP.
    private func beginUpgrade(_ context: ChannelHandlerContext, _ head: HTTPRequestHead) -> Bool {
        guard windows != nil, head.method == .GET, head.headers["host"].count == 1, WindowRequest.isReadable(head),
            WindowRequest.asksForUpgrade(head), let request = WindowRequest(head)
        else { return false }
        let upgrader = NIOWebSocketServerUpgrader(
            shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture(HTTPHeaders()) },
            upgradePipelineHandler: { channel, _ in channel.eventLoop.makeSucceededVoidFuture() }
        )
        // Completed at once, without waiting.
        var fields: HTTPHeaders?
        upgrader.buildUpgradeResponse(
            channel: context.channel,
            upgradeRequest: head,
            initialResponseHeaders: HTTPHeaders()
        ).assumeIsolated().whenSuccess { fields = $0 }
        guard var fields else { return false }
        if request.offersSubprotocol { fields.add(name: "Sec-WebSocket-Protocol", value: WindowRequest.subprotocol) }
        state = .upgrading(request, head, fields)
        return true
    }

    private func becomeWindow(
        _ context: ChannelHandlerContext,
        _ request: WindowRequest,
        _ head: HTTPRequestHead,
        _ fields: HTTPHeaders
    ) {
        guard let windows else { return }
        state = .window
        stopIdle()
        let response = HTTPResponseHead(version: .http1_1, status: .switchingProtocols, headers: fields)
        context.writeAndFlush(Self.wrapOutboundOut(.head(response)), promise: nil)
        let pipeline = context.pipeline.syncOperations
        do {
            pipeline.removeHandler(encoder, promise: nil)
            pipeline.removeHandler(connection, promise: nil)
            if let httpState { pipeline.removeHandler(httpState, promise: nil) }
            let window = try windows.addHandlers(
                for: request,
                head,
                rejection: surplus == nil ? nil : .overloaded,
                to: context.channel,
                // Before all remaining HTTP handlers.
                .after(self)
            )
            // A rejected window keeps the connection's slot until it is closed.
            if window.hasSlot { slot.release() }
            // Bytes that the client sent after its request leave the decoder when it is removed, and pass through here.
            pipeline.removeHandler(decoder).assumeIsolated().whenComplete { _ in
                pipeline.removeHandler(self, promise: nil)
            }
        } catch {
            context.close(promise: nil)
        }
    }

    private func stopIdle() {
        idle?.cancel()
        idle = nil
    }
}
