package import Metrics

/// The result of an attempt to post to a webhook or a helpdesk, as a label.
package enum WebhookResultLabel: String, CaseIterable, Sendable {
    /// 2xx.
    case taken
    /// Another status.
    case refused
    /// A status with which the items are skipped; only of replies.
    case skipped
    /// No response in time.
    case timeout
    /// The connection, the name resolution or the TLS verification failed.
    case unreachable
    /// The address is not allowed for webhooks.
    case forbiddenAddress = "forbidden_address"
}

/// The condition of a webhook or of a hook's replies, as a label.
package enum WebhookConditionLabel: String, CaseIterable, Sendable {
    /// Its last attempt succeeded, or there was none.
    case working
    /// Its last attempt failed.
    case failing
    /// Its receiver responded with 410.
    case off
}

/// The metrics of the receivers of one kind: the webhooks, or the helpdesks that get replies.
package struct ReceiverMetrics: Sendable {
    /// Attempts to post.
    package let posts: LabelledMetrics<WebhookResultLabel, Counter>
    private let receivers: LabelledMetrics<WebhookConditionLabel, Meter>
    private let lag: Meter

    fileprivate init(
        _ posts: MetricDeclaration,
        _ receivers: MetricDeclaration,
        _ lag: MetricDeclaration,
        _ factory: any MetricsFactory
    ) {
        self.posts = LabelledMetrics {
            Counter(label: posts.name, dimensions: [("result", $0.rawValue)], factory: factory)
        }
        self.receivers = LabelledMetrics {
            Meter(label: receivers.name, dimensions: [("condition", $0.rawValue)], factory: factory)
        }
        self.lag = Meter(label: lag.name, dimensions: [], factory: factory)
        record([], lag: 0)
    }

    /// Sets the gauges: the condition of each receiver, and the items that the slowest has not received yet.
    package func record(_ conditions: [WebhookConditionLabel], lag: Int64) {
        for label in WebhookConditionLabel.allCases {
            receivers[label].set(Int64(conditions.count { $0 == label }))
        }
        self.lag.set(lag)
    }
}

/// The metrics of the outbound feed and its receivers.
///
/// Created once; usable from any thread. No metric carries a brand: log lines and each receiver's state name it.
package struct OutboundMetrics: Sendable {
    /// Items that were stored.
    package let items: Counter
    /// The brands' webhooks.
    package let webhooks: ReceiverMetrics
    /// The replies of hooks.
    package let replies: ReceiverMetrics
    private let readers: Meter

    /// Creates the metric objects.
    package init(factory: any MetricsFactory) {
        typealias Catalogue = MetricCatalogue
        items = Counter(label: Catalogue.outboundItems.name, dimensions: [], factory: factory)
        webhooks = ReceiverMetrics(Catalogue.webhookPosts, Catalogue.webhooks, Catalogue.webhookLag, factory)
        replies = ReceiverMetrics(Catalogue.replyPosts, Catalogue.replies, Catalogue.replyLag, factory)
        readers = Meter(label: Catalogue.outboundWaitingReaders.name, dimensions: [], factory: factory)
        record(waitingReaders: 0)
    }

    /// Sets the gauge of waiting readers: long polls of the feed.
    package func record(waitingReaders: Int) { readers.set(Int64(waitingReaders)) }
}
