import GatewayModel
import Metrics
import Synchronization

/// Counters of failed pushes, created when a reason first occurs: failures are rare and their combinations many.
final class ReasonCounters: Sendable {
    private struct Key: Hashable {
        var provider: PushType
        var outcome: OutcomeLabel
        var reason: String
    }

    private let factory: any MetricsFactory
    private let counters = Mutex<[Key: Counter]>([:])

    init(factory: any MetricsFactory) { self.factory = factory }

    /// Returns the counter of a combination, always the same object; the reason is a label of ``ReasonLabel``, so that
    /// the number of combinations is bounded.
    func counter(provider: PushType, outcome: OutcomeLabel, reason: String) -> Counter {
        let key = Key(provider: provider, outcome: outcome, reason: reason)
        return counters.withLock { counters in
            if let known = counters[key] { return known }
            let new = Self.make(provider: provider, outcome: outcome, reason: reason, factory: factory)
            counters[key] = new
            return new
        }
    }

    static func make(
        provider: PushType,
        outcome: OutcomeLabel,
        reason: String,
        factory: any MetricsFactory
    ) -> Counter {
        Counter(
            label: MetricCatalogue.deliveryOutcomes.name,
            dimensions: [("provider", provider.rawValue), ("outcome", outcome.rawValue), ("reason", reason)],
            factory: factory
        )
    }
}
