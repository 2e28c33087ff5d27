import GatewayModel
import HTTP2Connections
import Metrics
import Telemetry

/// The connection metrics of one kind of provider.
struct PoolMetrics: HTTP2PoolObserver {
    let metrics: ProviderMetrics
    let provider: PushType

    func connectionChanged(from old: HTTP2ConnectionPhase?, to new: HTTP2ConnectionPhase?) {
        if let old { metrics.connections[provider][Self.label(old)].decrement() }
        if let new { metrics.connections[provider][Self.label(new)].increment() }
    }

    func connectionEnded(reason: String) {
        metrics.connectionEnded(provider, reason: reason)
    }

    func openStreamsChanged(by difference: Int) {
        metrics.openStreams[provider].increment(by: Double(difference))
    }

    func connectionHeldBack(by reason: HTTP2HoldBack) {
        switch reason {
        case .streams: metrics.heldBack[provider][.streams].increment()
        case .window: metrics.heldBack[provider][.window].increment()
        }
    }

    private static func label(_ phase: HTTP2ConnectionPhase) -> ConnectionLabel {
        switch phase {
        case .connecting: .connecting
        case .ready: .ready
        case .draining: .draining
        }
    }
}
