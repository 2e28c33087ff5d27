internal import CoreMetrics
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTPTypes
internal import Telemetry

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
        let admission = slots.take()
        channel.closeFuture.whenComplete { [slots] _ in slots.close() }
        let connection = NIOLoopBound(
            ConnectionGuard(limit: TimeAmount(limits.requestTimeout), metrics: metrics),
            eventLoop: channel.eventLoop
        )
        do {
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

    func handle(value: Value, logger: Logger) async {
        await HTTP1Channel(responder: responder).handle(value: value, logger: logger)
    }
}
