import Metrics
import Synchronization

/// A number that rises and falls; stored as the bits of a `Double` in one atomic word.
final class PrometheusGauge: MeterHandler, RecorderHandler, PrometheusSeries {
    private let bits = Atomic<UInt64>(0)

    func set(_ value: Int64) { set(Double(value)) }

    func set(_ value: Double) {
        bits.store(value.bitPattern, ordering: .relaxed)
    }

    func increment(by amount: Double) {
        var old = bits.load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: old) + amount).bitPattern
            let result = bits.weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
            if result.exchanged { return }
            old = result.original
        }
    }

    func decrement(by amount: Double) { increment(by: -amount) }

    func record(_ value: Int64) { set(Double(value)) }

    func record(_ value: Double) { set(value) }

    func appendSamples(name: String, labels: String, to text: inout String) {
        let value = Double(bitPattern: bits.load(ordering: .relaxed))
        PrometheusText.appendSample(name, labels, PrometheusText.number(value), to: &text)
    }
}
