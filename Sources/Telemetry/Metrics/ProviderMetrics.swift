package import GatewayModel
package import Metrics

/// What the connections to providers are counted by.
///
/// Made once and handed to them; any thread may use it.
package struct ProviderMetrics: Sendable {
    /// Connections by what they are doing.
    package let connections: LabelledMetrics<PushType, LabelledMetrics<ConnectionLabel, Meter>>
    /// Streams that are open.
    package let openStreams: LabelledMetrics<PushType, Meter>
    /// How often a connection could take no more requests, by what held it back.
    package let heldBack: LabelledMetrics<PushType, LabelledMetrics<HoldBackLabel, Counter>>

    private let factory: any MetricsFactory

    /// Makes the metric objects.
    ///
    /// - Parameter factory: Where they are kept; tests hand in their own.
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

    /// Counts the end of a connection.
    ///
    /// - Parameters:
    ///   - provider: Whose it was.
    ///   - reason: Why, a label from a closed set.
    package func connectionEnded(_ provider: PushType, reason: String) {
        // Rare, so it is looked up each time instead of being kept.
        Counter(
            label: MetricCatalogue.providerConnectionsClosed.name,
            dimensions: [("provider", provider.rawValue), ("reason", reason)],
            factory: factory
        ).increment()
    }
}
