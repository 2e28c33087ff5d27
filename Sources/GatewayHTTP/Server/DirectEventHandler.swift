internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes
internal import TextFormats

/// Handles the events of an HTTP/1.1 connection on its event loop (``DirectEvents``), the last handler before Hummingbird.
///
/// The connection's requests are handled in order: several events at a time, or else requests for Hummingbird. What
/// follows waits here, and nothing more is read meanwhile. Confined to the connection's event loop.
final class DirectEventHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// An item from the client that has a place in its order.
    private enum Item {
        /// `target` is nil for a request for Hummingbird.
        case head(HTTPRequest, target: DirectRoute.Target?)
        case body(ByteBuffer)
        case end(HTTPFields?)
        case event(Any)
        case error(any Error)
    }

    /// The maximum number of requests whose responses are due: a connection must not use up the slots of all.
    private static let maxPending = 16

    private let events: DirectEvents
    /// The request that is arriving, if it may be handled here.
    private var collected: (head: HTTPRequest, target: DirectRoute.Target, body: ByteBuffer)?
    /// The items that wait; bounded by the bytes that are read at a time, because nothing is read meanwhile.
    private var waiting = CircularBuffer<Item>(initialCapacity: 1)
    /// The responses that are due, in the order of their requests; nil while the events are being stored.
    private var pending = CircularBuffer<DirectEvents.Reply?>(initialCapacity: 1)
    /// The number of responses that were written.
    private var written = 0
    /// The number of Hummingbird's requests without a complete response; not 0 only if nothing is pending.
    private var routed = 0
    /// Whether a request of Hummingbird's was the last one of the connection (RFC 9112 section 9.6): what follows is not
    /// handled.
    private var isClosing = false
    private var isReadWanted = false
    private var context: ChannelHandlerContext?

    init(_ events: DirectEvents) { self.events = events }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        collected = nil
        waiting.removeAll()
    }

    // MARK: Incoming

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .head(let head): arrived(.head(head, target: DirectEvents.target(of: head)), context)
        case .body(let bytes): arrived(.body(bytes), context)
        case .end(let trailers): arrived(.end(trailers), context)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        routeIncomplete(context)
        context.fireChannelReadComplete()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // Only the end of the client's requests has a place in their order.
        if event as? ChannelEvent == .inputClosed {
            routeIncomplete(context)
            arrived(.event(event), context)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        routeIncomplete(context)
        arrived(.error(error), context)
    }

    func read(context: ChannelHandlerContext) {
        if waiting.isEmpty { context.read() } else { isReadWanted = true }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        context.fireChannelWritabilityChanged()
        resume(context)
    }

    private func arrived(_ item: Item, _ context: ChannelHandlerContext) {
        // Usually nothing waits, and an item need not be kept.
        if waiting.isEmpty, mayPass(item, context) { pass(item, context) } else { waiting.append(item) }
        passOn(context)
    }

    /// Passes on what need not wait.
    private func passOn(_ context: ChannelHandlerContext) {
        while let item = waiting.first, mayPass(item, context) {
            waiting.removeFirst()
            pass(item, context)
        }
    }

    private func mayPass(_ item: Item, _ context: ChannelHandlerContext) -> Bool {
        switch item {
        case .head(_, target: _?): routed > 0 || pending.count < Self.maxPending && context.channel.isWritable
        case .head, .event, .error: pending.isEmpty
        // Of a request whose head has passed.
        case .body, .end: true
        }
    }

    private func pass(_ item: Item, _ context: ChannelHandlerContext) {
        switch item {
        case .head(let head, let target?) where routed == 0 && !isClosing: collected = (head, target, ByteBuffer())
        case .head(let head, _):
            routed += 1
            isClosing = isClosing || head.headerFields[.connection]?.isWord("close") == true
            context.fireChannelRead(Self.wrapInboundOut(.head(head)))
        case .body(var bytes):
            guard let length = collected?.body.readableBytes else {
                return context.fireChannelRead(Self.wrapInboundOut(.body(bytes)))
            }
            // Usually one part, which is not copied.
            if length == 0 { collected?.body = bytes } else { collected?.body.writeBuffer(&bytes) }
            if collected?.body.readableBytes ?? 0 > DirectEvents.maxBodyBytes { route() }
        case .end(let trailers):
            guard let request = collected else {
                return context.fireChannelRead(Self.wrapInboundOut(.end(trailers)))
            }
            if respond(to: request, context) { collected = nil } else { route(then: item) }
        case .event(let event): context.fireUserInboundEventTriggered(event)
        case .error(let error): context.fireErrorCaught(error)
        }
    }

    /// Leaves the collected request to Hummingbird, in its turn.
    private func route(then end: Item? = nil) {
        guard let (head, _, body) = collected else { return }
        collected = nil
        if let end { waiting.prepend(end) }
        if body.readableBytes > 0 { waiting.prepend(.body(body)) }
        waiting.prepend(.head(head, target: nil))
    }

    /// Leaves a request to Hummingbird of which a part did not arrive with the rest: its limits for slow and for unwanted
    /// bodies apply.
    private func routeIncomplete(_ context: ChannelHandlerContext) {
        guard collected != nil else { return }
        route()
        passOn(context)
    }

    /// Continues after something that was waited for.
    private func resume(_ context: ChannelHandlerContext) {
        if !waiting.isEmpty {
            passOn(context)
            routeIncomplete(context)
            context.fireChannelReadComplete()
        }
        guard isReadWanted, waiting.isEmpty else { return }
        isReadWanted = false
        context.read()
    }

    // MARK: Responses

    private func respond(
        to request: (head: HTTPRequest, target: DirectRoute.Target, body: ByteBuffer),
        _ context: ChannelHandlerContext
    ) -> Bool {
        let number = written + pending.count
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let isTaken = events.respond(to: request.head, request.target, request.body, on: context.channel) {
            handler.value.complete(number, $0)
        }
        if isTaken { pending.append(nil) }
        return isTaken
    }

    /// Writes a response when those before it are written.
    private func complete(_ number: Int, _ response: DirectEvents.Reply) {
        guard let context else { return }
        pending[pending.index(pending.startIndex, offsetBy: number - written)] = response
        guard number == written else { return }
        while case .some(.some(let (head, body))) = pending.first {
            pending.removeFirst()
            written += 1
            context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
            context.write(Self.wrapOutboundOut(.body(body)), promise: nil)
            context.write(Self.wrapOutboundOut(.end(nil)), promise: nil)
        }
        context.flush()
        resume(context)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // Nothing waits while Hummingbird responds.
        if case .end = Self.unwrapOutboundIn(data) { routed -= 1 }
        context.write(data, promise: promise)
    }
}
