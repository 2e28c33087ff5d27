import Foundation
import GatewayClient
import GatewayModel
import GuardedHTTP
import HTTPTransfers
import Logging
import Telemetry

/// The traces of one gateway: their recorder and their exporter.
struct GatewayTraces: Sendable {
    /// The recorder.
    let tracer: TraceRecorder
    /// Sends the spans to the collector.
    let exporter: TraceExporter
    private let client: TransferClient

    /// Creates both, and sends nothing yet; ``close()`` must be called.
    init(
        _ collector: TraceCollector,
        settings: GatewaySettings,
        proxy: OutboundProxy?,
        clock: any GatewayClock,
        registry: PrometheusRegistry,
        logger: Logger
    ) {
        let metrics = TraceMetrics(factory: registry)
        let queue = SpanQueue(metrics: metrics)
        let client = TransferClient(trustRootsFile: settings.provider.trustRoots)
        let instance = UUID().uuidString.lowercased()
        self.client = client
        tracer = TraceRecorder(share: settings.telemetry.traceShare, clock: clock, queue: queue)
        exporter = TraceExporter(
            queue: queue,
            metrics: metrics,
            encode: { OTLPTraces.body($0, version: Version.text, instance: instance) },
            post: { body in
                await collector.post(
                    body,
                    by: client,
                    through: proxy,
                    contentType: OTLPTraces.contentType,
                    now: clock.now.milliseconds
                )
            },
            logger: logger
        )
    }

    /// Closes the connection.
    func close() async { await client.close(isCancelling: true) }
}
