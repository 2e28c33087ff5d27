import Metrics
import Synchronization

/// A decimal number that only rises, such as seconds of CPU time.
final class PrometheusDecimalCounter: FloatingPointCounterHandler, PrometheusSeries {
    private let sum = Mutex(0.0)

    func increment(by amount: Double) {
        sum.withLock { $0 += amount }
    }

    func reset() {
        sum.withLock { $0 = 0 }
    }

    func appendSamples(name: String, labels: String, to text: inout String) {
        PrometheusText.appendSample(name, labels, PrometheusText.number(sum.withLock { $0 }), to: &text)
    }
}
