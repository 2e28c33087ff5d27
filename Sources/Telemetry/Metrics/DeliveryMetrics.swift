package import GatewayModel
package import Metrics
import Synchronization

/// What the delivery core counts.
///
/// Made once and handed to it; any thread may use it.
package struct DeliveryMetrics: Sendable {
    /// Events by what became of them.
    package let events: LabelledMetrics<EventResultLabel, Counter>
    /// Events that wait for their commit.
    package let pendingEvents: Meter
    /// From taking events to the start of their commit.
    package let intakeWait: Timer
    /// How long one turn of the writer takes.
    package let commit: Timer
    /// Events, outcomes and changes of one turn.
    package let commitRows: Recorder
    /// From leaving to the provider's answer.
    package let providerLatency: LabelledMetrics<PushType, Timer>
    /// From accepting an event to the provider taking its push.
    package let endToEnd: LabelledMetrics<PushType, Timer>
    /// From accepting an event to its push leaving.
    package let queueWait: LabelledMetrics<PushType, Timer>
    /// Pushes that left once more.
    package let resends: LabelledMetrics<PushType, Counter>
    /// Deliveries to consumers with a messaging window open, by what became of them.
    package let heldRows: LabelledMetrics<HeldLabel, Counter>
    /// Rows that lanes hold in memory.
    package let ownedRows: LabelledMetrics<PushType, Meter>
    /// Pushes that left and are not answered.
    package let inFlight: LabelledMetrics<PushType, Meter>
    /// Lanes whose breaker is open.
    package let openBreakers: LabelledMetrics<PushType, Meter>
    /// Platforms of lanes whose devices are stopped.
    package let stoppedPlatforms: LabelledMetrics<PushType, Meter>
    /// Lanes that are suspended because their provider calls too many devices gone.
    package let suspendedLanes: LabelledMetrics<PushType, Meter>
    /// How often lanes were suspended.
    package let suspensions: LabelledMetrics<PushType, Counter>

    private let outcomesWithoutReason: LabelledMetrics<PushType, LabelledMetrics<OutcomeLabel, Counter>>
    private let reasons: ReasonCounters
    private let factory: any MetricsFactory

    /// Makes the metric objects.
    ///
    /// - Parameter factory: Where they are kept; tests hand in their own.
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
            Timer(label: MetricCatalogue.deliveryEndToEnd.name, dimensions: $0, factory: factory)
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

    /// Counts one answer of a provider, or its absence.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - answer: What it said.
    ///   - queuedAt: When the delivery was queued, on the wall clock; nil leaves waiting and end-to-end time out.
    package func answered(_ provider: PushType, _ answer: PushAnswer, queuedAt: Timestamp?) {
        let outcome = OutcomeLabel(answer.outcome)
        if answer.reason == nil {
            outcomesWithoutReason[provider][outcome].increment()
        } else {
            reasons.counter(provider: provider, outcome: outcome, reason: ReasonLabel.label(answer.reason)).increment()
        }
        providerLatency[provider].recordMilliseconds(answer.latencyMilliseconds)
        guard let queuedAt else { return }
        queueWait[provider].recordMilliseconds(max(0, answer.sentAt.milliseconds - queuedAt.milliseconds))
        if outcome == .accepted {
            let answeredAt = answer.sentAt.milliseconds + answer.latencyMilliseconds
            endToEnd[provider].recordMilliseconds(max(0, answeredAt - queuedAt.milliseconds))
        }
    }

    /// Counts a turn of the writer that failed.
    ///
    /// - Parameter label: The store's word for why, from its closed set.
    package func storeFailed(_ label: String) {
        // Rare, so it is looked up each time instead of being kept.
        Counter(
            label: MetricCatalogue.storeErrors.name,
            dimensions: [("error", label)],
            factory: factory
        ).increment()
    }
}
