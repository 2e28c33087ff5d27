package import Metrics

/// The result of an attempt to post to a webhook, as a label.
package enum WebhookResultLabel: String, CaseIterable, Sendable {
    /// 2xx.
    case taken
    /// Another status.
    case refused
    /// No response in time.
    case timeout
    /// The connection, the name resolution or the TLS verification failed.
    case unreachable
    /// The address is not allowed for webhooks.
    case forbiddenAddress = "forbidden_address"
}

/// The condition of a webhook, as a label.
package enum WebhookConditionLabel: String, CaseIterable, Sendable {
    /// Its last attempt succeeded, or there was none.
    case working
    /// Its last attempt failed.
    case failing
    /// Its receiver responded with 410.
    case off
}

/// The metrics of the outbound feed and the webhooks.
///
/// Created once; usable from any thread. No metric carries a brand: log lines and each webhook's state name it.
package struct OutboundMetrics: Sendable {
    /// Items that were stored.
    package let items: Counter
    /// Attempts to post.
    package let posts: LabelledMetrics<WebhookResultLabel, Counter>
    private let webhooks: LabelledMetrics<WebhookConditionLabel, Meter>
    private let lag: Meter
    private let readers: Meter

    /// Creates the metric objects.
    package init(factory: any MetricsFactory) {
        items = Counter(label: MetricCatalogue.outboundItems.name, dimensions: [], factory: factory)
        posts = LabelledMetrics {
            Counter(label: MetricCatalogue.webhookPosts.name, dimensions: [("result", $0.rawValue)], factory: factory)
        }
        webhooks = LabelledMetrics {
            Meter(label: MetricCatalogue.webhooks.name, dimensions: [("condition", $0.rawValue)], factory: factory)
        }
        lag = Meter(label: MetricCatalogue.webhookLag.name, dimensions: [], factory: factory)
        readers = Meter(label: MetricCatalogue.outboundWaitingReaders.name, dimensions: [], factory: factory)
        record([], lag: 0)
        record(waitingReaders: 0)
    }

    /// Sets the gauges of webhooks: the condition of each, and the items that the slowest has not received yet.
    package func record(_ conditions: [WebhookConditionLabel], lag: Int64) {
        for label in WebhookConditionLabel.allCases {
            webhooks[label].set(Int64(conditions.count { $0 == label }))
        }
        self.lag.set(lag)
    }

    /// Sets the gauge of waiting readers: long polls of the feed.
    package func record(waitingReaders: Int) { readers.set(Int64(waitingReaders)) }
}
