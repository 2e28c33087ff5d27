package import Metrics

/// How a try to post to a webhook ended, as a label.
package enum WebhookResultLabel: String, CaseIterable, Sendable {
    /// 2xx.
    case taken
    /// Another status.
    case refused
    /// No answer in time.
    case timeout
    /// No connection, no address, or no trust.
    case unreachable
    /// The address is one that webhooks must not reach.
    case forbiddenAddress = "forbidden_address"
}

/// How a webhook stands, as a label.
package enum WebhookConditionLabel: String, CaseIterable, Sendable {
    /// Its last try went well, or there was none.
    case working
    /// Its last try did not.
    case failing
    /// Its receiver said 410.
    case off
}

/// What the outbound feed and the webhooks count.
///
/// Made once; any thread may use it. No metric carries a brand: the log and each webhook's state name it.
package struct OutboundMetrics: Sendable {
    /// Items that were stored.
    package let items: Counter
    /// Tries to post.
    package let posts: LabelledMetrics<WebhookResultLabel, Counter>
    private let webhooks: LabelledMetrics<WebhookConditionLabel, Meter>
    private let lag: Meter
    private let readers: Meter

    /// Makes the metric objects.
    ///
    /// - Parameter factory: Where they are kept.
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

    /// Says how the webhooks stand.
    ///
    /// - Parameters:
    ///   - conditions: One for each webhook.
    ///   - lag: How many items the one that is furthest behind has before it.
    package func record(_ conditions: [WebhookConditionLabel], lag: Int64) {
        for label in WebhookConditionLabel.allCases {
            webhooks[label].set(Int64(conditions.count { $0 == label }))
        }
        self.lag.set(lag)
    }

    /// Says how many readers wait.
    ///
    /// - Parameter waitingReaders: Long polls of the feed.
    package func record(waitingReaders: Int) { readers.set(Int64(waitingReaders)) }
}
