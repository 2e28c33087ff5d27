package import Metrics

/// The end of an operator event, as a label.
package enum OperatorEventLabel: String, CaseIterable, Sendable {
    /// The receiver has accepted it.
    case posted
    /// A later event of the same subject has replaced it.
    case coalesced
    /// There was no room for it until its change was undone.
    case lost
}

/// The metrics of operator events and their webhook.
///
/// Created once; usable from any thread.
package struct OperatorMetrics: Sendable {
    /// Events by their end.
    package let events: LabelledMetrics<OperatorEventLabel, Counter>
    /// Attempts to post.
    package let posts: LabelledMetrics<WebhookResultLabel, Counter>
    /// Events that wait.
    package let waiting: Meter

    /// Creates the metric objects.
    package init(factory: any MetricsFactory) {
        typealias Catalogue = MetricCatalogue
        events = LabelledMetrics {
            Counter(label: Catalogue.operatorEvents.name, dimensions: [("result", $0.rawValue)], factory: factory)
        }
        posts = LabelledMetrics {
            Counter(label: Catalogue.operatorPosts.name, dimensions: [("result", $0.rawValue)], factory: factory)
        }
        waiting = Meter(label: Catalogue.operatorEventsWaiting.name, dimensions: [], factory: factory)
        waiting.set(0)
    }
}
