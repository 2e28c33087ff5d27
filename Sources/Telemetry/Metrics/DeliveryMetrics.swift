package import GatewayModel
package import Metrics
import Synchronization

/// The metrics of the delivery core.
///
/// Created once and passed to it; usable from any thread.
package struct DeliveryMetrics: Sendable {
    /// Events by result.
    package let events: LabelledMetrics<EventResultLabel, Counter>
    /// Events that wait for their commit.
    package let pendingEvents: Meter
    /// The time from accepting events to the start of their commit.
    package let intakeWait: Timer
    /// The duration of one transaction of the writer.
    package let commit: Timer
    /// The number of events, outcomes and changes in one transaction.
    package let commitRows: Recorder
    /// The time from sending a push to the provider's response.
    package let providerLatency: LabelledMetrics<PushType, Timer>
    /// The time from accepting an event until the provider accepts its push.
    package let endToEnd: LabelledMetrics<PushType, ExemplarTimer>
    /// The time from accepting an event to sending its push.
    package let queueWait: LabelledMetrics<PushType, Timer>
    /// Pushes that were sent again.
    package let resends: LabelledMetrics<PushType, Counter>
    /// Deliveries to consumers with an open messaging window, by result.
    package let heldRows: LabelledMetrics<HeldLabel, Counter>
    /// Deliveries that lanes hold in memory.
    package let ownedRows: LabelledMetrics<PushType, Meter>
    /// Pushes that were sent and have no response yet.
    package let inFlight: LabelledMetrics<PushType, Meter>
    /// Lanes whose circuit breaker is open.
    package let openBreakers: LabelledMetrics<PushType, Meter>
    /// Platforms of lanes whose devices are paused.
    package let stoppedPlatforms: LabelledMetrics<PushType, Meter>
    /// Lanes that are suspended because their provider reports too many devices as gone.
    package let suspendedLanes: LabelledMetrics<PushType, Meter>
    /// The longest wait of a push that could leave.
    package let oldestWaiting: LabelledMetrics<PushType, Meter>
    /// The number of times that lanes were suspended.
    package let suspensions: LabelledMetrics<PushType, Counter>

    private let outcomesWithoutReason: LabelledMetrics<PushType, LabelledMetrics<OutcomeLabel, Counter>>
    private let reasons: ReasonCounters
    private let factory: any MetricsFactory

    /// Creates the metric objects.
    package init(factory: any MetricsFactory) {
        func perProvider<Metric>(_ make: @escaping ([(String, String)]) -> Metric) -> LabelledMetrics<PushType, Metric>
        {
            LabelledMetrics { make([("provider", $0.rawValue)]) }
        }
        self.factory = factory
        events = LabelledMetrics {
            Counter(
                label: MetricCatalogue.intakeEvents.name,
                dimensions: [("result", $0.rawValue)],
                factory: factory
            )
        }
        pendingEvents = Meter(label: MetricCatalogue.intakePendingEvents.name, factory: factory)
        intakeWait = Timer(label: MetricCatalogue.intakeWait.name, factory: factory)
        commit = Timer(label: MetricCatalogue.storeCommit.name, factory: factory)
        commitRows = Recorder(label: MetricCatalogue.storeCommitRows.name, aggregate: true, factory: factory)
        providerLatency = perProvider {
            Timer(label: MetricCatalogue.deliveryProviderLatency.name, dimensions: $0, factory: factory)
        }
        endToEnd = perProvider {
            ExemplarTimer(MetricCatalogue.deliveryEndToEnd, dimensions: $0, factory: factory)
        }
        queueWait = perProvider {
            Timer(label: MetricCatalogue.deliveryQueueWait.name, dimensions: $0, factory: factory)
        }
        resends = perProvider {
            Counter(label: MetricCatalogue.deliveryResends.name, dimensions: $0, factory: factory)
        }
        heldRows = LabelledMetrics {
            Counter(
                label: MetricCatalogue.deliveryHeldRows.name,
                dimensions: [("result", $0.rawValue)],
                factory: factory
            )
        }
        ownedRows = perProvider {
            Meter(label: MetricCatalogue.deliveryOwnedRows.name, dimensions: $0, factory: factory)
        }
        inFlight = perProvider {
            Meter(label: MetricCatalogue.deliveryInFlight.name, dimensions: $0, factory: factory)
        }
        openBreakers = perProvider {
            Meter(label: MetricCatalogue.deliveryOpenBreakers.name, dimensions: $0, factory: factory)
        }
        stoppedPlatforms = perProvider {
            Meter(label: MetricCatalogue.deliveryStoppedPlatforms.name, dimensions: $0, factory: factory)
        }
        suspendedLanes = perProvider {
            Meter(label: MetricCatalogue.deliverySuspendedLanes.name, dimensions: $0, factory: factory)
        }
        oldestWaiting = perProvider {
            Meter(label: MetricCatalogue.deliveryOldestWaiting.name, dimensions: $0, factory: factory)
        }
        suspensions = perProvider {
            Counter(label: MetricCatalogue.deliverySuspensions.name, dimensions: $0, factory: factory)
        }
        outcomesWithoutReason = LabelledMetrics { provider in
            LabelledMetrics { outcome in
                ReasonCounters.make(provider: provider, outcome: outcome, reason: "", factory: factory)
            }
        }
        reasons = ReasonCounters(factory: factory)
    }

    /// Counts one response of a provider, or its absence, with the waiting and end-to-end durations unless `queuedAt`
    /// is nil; `trace` is the trace of its event, if it is recorded.
    package func recordResponse(
        _ provider: PushType,
        _ response: PushResponse,
        queuedAt: Timestamp?,
        trace: SpanIdentity? = nil
    ) {
        let outcome = OutcomeLabel(response.outcome)
        if response.reason == nil {
            outcomesWithoutReason[provider][outcome].increment()
        } else {
            reasons.counter(provider: provider, outcome: outcome, reason: ReasonLabel.label(response.reason))
                .increment()
        }
        providerLatency[provider].recordMilliseconds(response.latencyMilliseconds)
        guard let queuedAt else { return }
        queueWait[provider].recordMilliseconds(max(0, response.sentAt.milliseconds - queuedAt.milliseconds))
        if outcome == .accepted {
            let respondedAt = response.sentAt.milliseconds + response.latencyMilliseconds
            let milliseconds = min(max(0, respondedAt - queuedAt.milliseconds), Int64.max / 1_000_000)
            endToEnd[provider].record(
                nanoseconds: milliseconds * 1_000_000,
                Exemplar(trace, at: Timestamp(milliseconds: respondedAt))
            )
        }
    }

    /// Counts a failed transaction of the writer by the store's label for the reason, from its closed set.
    package func storeFailed(_ label: String) {
        // Rare, so it is looked up each time and not kept.
        storeErrors(label).increment()
    }

    /// Creates the counters of failed transactions at 0: of a series that begins at 1 no increase is seen.
    package func prepareStoreErrors(_ labels: [String]) { for label in labels { _ = storeErrors(label) } }

    private func storeErrors(_ label: String) -> Counter {
        Counter(label: MetricCatalogue.storeErrors.name, dimensions: [("error", label)], factory: factory)
    }
}
