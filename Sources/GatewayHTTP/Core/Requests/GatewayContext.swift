internal import GuardedHTTP
package import Hummingbird
internal import NIOCore
internal import Telemetry

/// The context of a request in the router.
package struct GatewayContext: RequestContext {
    /// The storage that Hummingbird needs.
    package var coreContext: CoreRequestContextStorage
    /// The request's id; set by the first middleware.
    var requestID = ""
    /// The parameters of the path of a request that the router does not handle.
    var segments: [(name: String, segment: Substring)] = []
    /// The address of the connection's remote end; nil for a socket without addresses.
    let peer: InternetAddress?
    private let channel: any Channel
    /// The request's stream; nil for HTTP/1.1.
    var exchange: HTTP2Exchange?
    /// The span of the request; nil when its trace is not recorded.
    var span: RecordedSpan?
    /// The facts about the request that are collected while it is handled.
    let notes = RequestNotes()

    /// Creates a context from the connection.
    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        peer = InternetAddress(source.channel.remoteAddress)
    }

    /// Returns a parameter of the path as it was sent; nil when the route has none of this name.
    func segment(_ name: String) -> Substring? {
        segments.first { $0.name == name }?.segment ?? parameters[name[...]]
    }

    /// The span of the request, but not of a stranger whose `traceparent` alone asks for the record.
    var trace: RecordedSpan? {
        guard let span, !span.isAskedFor || notes.caller != nil else { return nil }
        return span
    }

    /// The context of a call that another route makes for the same caller: the result of one leaves the other alone.
    var ofInnerCall: GatewayContext {
        GatewayContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
    }

    /// Asks the caller for the body that it announced with `Expect: 100-continue` (RFC 9110 section 10.1.1).
    func askForBody() {
        if let exchange {
            exchange.sendContinue()
        } else {
            channel.triggerUserOutboundEvent(RequestGuard.Continue(), promise: nil)
        }
    }

    /// Waits until the client of an HTTP/1.1 connection has disconnected or ended its side, or the task is cancelled.
    ///
    /// Hummingbird's own function for this reads the requests that follow, and so ends the connection.
    func clientEnds() async {
        let (end, watcher) = AsyncStream<Never>.makeStream()
        let isWatched = channel.eventLoop.makePromise(of: Void.self)
        isWatched.futureResult.whenFailure { if $0 as? ChannelError == .ioOnClosedChannel { watcher.finish() } }
        channel.triggerUserOutboundEvent(RequestGuard.Watch(watcher: watcher), promise: isWatched)
        for await _ in end {}
    }
}
