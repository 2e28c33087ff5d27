package import GatewayModel
package import Metrics

/// The metrics of the connections to providers.
///
/// Created once and passed to them; usable from any thread.
package struct ProviderMetrics: Sendable {
    /// Connections by state.
    package let connections: LabelledMetrics<PushType, LabelledMetrics<ConnectionLabel, Meter>>
    /// Open streams.
    package let openStreams: LabelledMetrics<PushType, Meter>
    /// The number of times that a connection could take no more requests, by the limit that it reached.
    package let heldBack: LabelledMetrics<PushType, LabelledMetrics<HoldBackLabel, Counter>>

    private let factory: any MetricsFactory

    /// Creates the metric objects.
    package init(factory: any MetricsFactory) {
        self.factory = factory
        connections = LabelledMetrics { provider in
            LabelledMetrics { state in
                Meter(
                    label: MetricCatalogue.providerConnections.name,
                    dimensions: [("provider", provider.rawValue), ("state", state.rawValue)],
                    factory: factory
                )
            }
        }
        openStreams = LabelledMetrics { provider in
            Meter(
                label: MetricCatalogue.providerOpenStreams.name,
                dimensions: [("provider", provider.rawValue)],
                factory: factory
            )
        }
        heldBack = LabelledMetrics { provider in
            LabelledMetrics { reason in
                Counter(
                    label: MetricCatalogue.providerHeldBack.name,
                    dimensions: [("provider", provider.rawValue), ("by", reason.rawValue)],
                    factory: factory
                )
            }
        }
    }

    /// Counts the end of a connection by its reason, a label from a closed set.
    package func connectionEnded(_ provider: PushType, reason: String) {
        // Rare, so it is looked up each time and not kept.
        Counter(
            label: MetricCatalogue.providerConnectionsClosed.name,
            dimensions: [("provider", provider.rawValue), ("reason", reason)],
            factory: factory
        ).increment()
    }
}
