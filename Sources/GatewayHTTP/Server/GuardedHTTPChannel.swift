internal import CoreMetrics
internal import GuardedHTTP
internal import HTTP2Connections
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTPTypes
internal import TLS
internal import Telemetry
internal import TextFormats

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A connection of HTTP/1.1 or HTTP/2 with limits, over TLS or not; one of HTTP/1.1 may become a messaging window.
struct GuardedHTTPChannel: ServerChildChannel {
    /// The requests of a connection whose version is known.
    enum HTTP: Sendable {
        case http1(NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>)
        case http2(AsyncStream<HTTP2Exchange>)
    }

    /// A connection whose protocol is not known yet.
    struct Value: ServerChildChannelValue {
        let channel: any Channel
        /// The HTTP connection; nil for a window, and for a connection that was closed before its first request.
        let http: EventLoopFuture<HTTP?>
    }

    private let responder: HTTPChannelHandler.Responder
    /// The routes, for HTTP/2; nil if it is not spoken.
    private let routes: RouterResponder<GatewayContext>?
    private let limits: ServerLimits
    private let slots: ConnectionSlots
    /// A stream of HTTP/2 costs about as much as a connection of HTTP/1.1, and has the same limits.
    private let streamSlots: SharedSlots
    private let addresses: AddressShares
    private let metrics: HTTPMetrics
    private let windows: WindowHandler.Shell?
    private let events: DirectEvents?
    /// Returns the TLS settings of the next connection; nil for plain HTTP.
    private let tls: (@Sendable () -> TLSServerContext)?

    init(
        responder: @escaping HTTPChannelHandler.Responder,
        routes: RouterResponder<GatewayContext>?,
        limits: ServerLimits,
        addresses: AddressShares,
        metrics: HTTPMetrics,
        windows: WindowHandler.Shell?,
        events: DirectEvents?,
        tls: (@Sendable () -> TLSServerContext)?
    ) {
        self.responder = responder
        self.routes = routes
        self.limits = limits
        self.addresses = addresses
        self.metrics = metrics
        self.windows = windows
        self.events = events
        self.tls = tls
        slots = ConnectionSlots(limits, metrics: metrics)
        streamSlots = SharedSlots(limit: limits.maxConnections, perAddress: limits.connectionsPerAddress)
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let address = addresses.share(ofPeer: InternetAddress(channel.remoteAddress))
        let admission = slots.take(address)
        let slot = NIOLoopBound(ConnectionSlot(slots, address), eventLoop: channel.eventLoop)
        channel.closeFuture.whenComplete { _ in slot.value.release() }
        var rejection: RejectionLabel?
        if case .refused(let label) = admission {
            rejection = label
        } else if Self.hasLastDescriptor(channel) {
            rejection = .connections
        }
        let value: Value
        do {
            // For a peer that disappeared, while the written data is small enough for the system's buffers. The guard
            // decides about peers that are present and slow; to the system, a peer with a closed receive window looks
            // the same.
            try channel.syncOptions?.setOption(
                .tcpOption(NIOBSDSocket.Option(rawValue: TCP_USER_TIMEOUT)),
                value: Int(clamping: max(.seconds(60), TimeAmount(limits.requestTimeout * 2)).nanoseconds / 1_000_000)
            )
            let connection = ConnectionGuard(
                limit: TimeAmount(limits.requestTimeout),
                start: TimeAmount(limits.startTimeout),
                isSecure: tls != nil,
                metrics: metrics
            )
            try channel.pipeline.syncOperations.addHandler(connection)
            if let tls { try tls().secure(channel, replyToPlaintext: Self.replyToPlaintext) }
            let version = HTTPVersionHandler(isSecure: tls != nil)
            if routes != nil { try channel.pipeline.syncOperations.addHandler(version) }
            let upgrade = WindowUpgradeHandler(
                connection: connection,
                slot: slot.value,
                surplus: admission.label,
                isSecure: tls != nil,
                idleTimeout: limits.idleTimeout,
                windows: windows,
                events: events,
                metrics: metrics,
                logger: logger,
                opened: channel.eventLoop.makePromise()
            )
            try upgrade.addToPipeline(of: channel)
            version.becomeHTTP2 = {
                let requests = HTTP2Connection(
                    channel: channel,
                    address: address,
                    slots: streamSlots,
                    surplus: admission.label,
                    connection: connection,
                    limits: limits,
                    windows: windows,
                    events: events,
                    metrics: metrics
                )
                let handler = try requests.makeHandler()
                upgrade.opened.succeed(.http2(requests.requests))
                try channel.pipeline.syncOperations.addHandler(handler, position: .after($0))
                upgrade.removeFromPipeline(of: channel)
            }
            value = Value(channel: channel, http: upgrade.opened.futureResult)
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        if let rejection {
            metrics.refused[rejection].increment()
            channel.close(promise: nil)
        }
        return channel.eventLoop.makeSucceededFuture(value)
    }

    /// Returns the response to a request without TLS.
    private static func replyToPlaintext() -> ByteBuffer {
        let problem = Problem.unreadable("A plain HTTP request was sent to an HTTPS port; use https:// in the URL.")
        let id = RequestID(header: nil).text
        var writer = JSONWriter(capacity: 384)
        problem.write(to: &writer, requestID: id)
        let fields = [
            "HTTP/1.1 400 Bad Request", "Content-Type: application/problem+json",
            "Content-Length: \(writer.bytes.count)", "X-Request-Id: \(id)", "Connection: close", "", "",
        ]
        var reply = ByteBuffer(string: fields.joined(separator: "\r\n"))
        reply.writeBytes(writer.bytes)
        return reply
    }

    /// Whether the connection has one of the last descriptors, which the process itself needs.
    ///
    /// The system returns the lowest free number (open(2)), so a number near the limit means that all below it are
    /// taken.
    private static func hasLastDescriptor(_ channel: any Channel) -> Bool {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return false }
        let descriptor = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { $0 }
        guard let descriptor else { return false }
        return Int(descriptor) >= Int(clamping: limit.rlim_cur) - ServerLimits.lastDescriptors
    }

    func handle(value: Value, logger: Logger) async {
        let http = await withTaskCancellationHandler {
            try? await value.http.get()
        } onCancel: {
            value.channel.close(mode: .input, promise: nil)
        }
        switch http {
        case .http1(let http): await HTTP1Channel(responder: responder).handle(value: http, logger: logger)
        case .http2(let requests): await handle(requests, on: value.channel, logger)
        case nil: break
        }
    }

    private func handle(_ requests: AsyncStream<HTTP2Exchange>, on channel: any Channel, _ logger: Logger) async {
        guard let routes else { return }
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                for await exchange in requests {
                    group.addTask { await exchange.respond(by: routes, on: channel, logger: logger) }
                }
            }
        } onCancel: {
            channel.close(promise: nil)
        }
    }
}
