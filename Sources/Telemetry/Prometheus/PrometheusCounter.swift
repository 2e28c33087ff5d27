import Metrics
import Synchronization

/// An integer that only rises; one atomic addition for each increment.
final class PrometheusCounter: CounterHandler, PrometheusSeries {
    private let count = Atomic<Int64>(0)

    func increment(by amount: Int64) {
        count.wrappingAdd(amount, ordering: .relaxed)
    }

    func reset() {
        count.store(0, ordering: .relaxed)
    }

    func appendSamples(name: String, labels: String, to text: inout String) {
        PrometheusText.appendSample(name, labels, String(count.load(ordering: .relaxed)), to: &text)
    }
}
