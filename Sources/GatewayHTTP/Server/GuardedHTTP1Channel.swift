internal import CoreMetrics
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTPTypes
internal import Telemetry

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Hummingbird's HTTP/1.1 connection with limits around it.
struct GuardedHTTP1Channel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    private let responder: HTTPChannelHandler.Responder
    private let limits: ServerLimits
    private let slots: ConnectionSlots
    private let metrics: HTTPMetrics

    init(responder: @escaping HTTPChannelHandler.Responder, limits: ServerLimits, metrics: HTTPMetrics) {
        self.responder = responder
        self.limits = limits
        self.metrics = metrics
        slots = ConnectionSlots(limit: limits.maxConnections, metrics: metrics)
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let place = slots.take()
        let admission = Self.hasLastDescriptor(channel) ? .refused : place
        channel.closeFuture.whenComplete { [slots] _ in slots.close() }
        let connection = NIOLoopBound(
            ConnectionGuard(limit: TimeAmount(limits.requestTimeout), metrics: metrics),
            eventLoop: channel.eventLoop
        )
        do {
            // A peer that is gone without a word, though what is written to it is little enough for the system to keep. The
            // guard decides about peers that are there and slow; to the system a window that stays closed is no different.
            try channel.syncOptions?.setOption(
                .tcpOption(NIOBSDSocket.Option(rawValue: TCP_USER_TIMEOUT)),
                value: Int(clamping: max(.seconds(60), TimeAmount(limits.requestTimeout * 2)).nanoseconds / 1_000_000)
            )
            try channel.pipeline.syncOperations.addHandler(connection.value)
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        let isSurplus = admission != .served
        let inner = HTTP1Channel(
            responder: responder,
            configuration: .init(
                additionalChannelHandlers: [
                    RequestGuard(connection: connection.value, isSurplus: isSurplus, metrics: metrics)
                ],
                idleTimeout: TimeAmount(limits.idleTimeout)
            )
        )
        let value = inner.setup(channel: channel, logger: logger)
        if admission == .refused {
            metrics.refused[.connections].increment()
            channel.close(promise: nil)
        }
        return value
    }

    /// Whether the connection has one of the last descriptors, which the process itself needs.
    ///
    /// The system gives the lowest free number (open(2)), so a number near the limit says that all below it are taken.
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
        await HTTP1Channel(responder: responder).handle(value: value, logger: logger)
    }
}
