import GatewayModel
import Metrics
import Synchronization

/// Observations counted in fixed buckets; durations arrive in nanoseconds and are stored in seconds.
///
/// One lock per series, held briefly, keeps buckets, count and sum consistent within one scrape.
final class PrometheusHistogram: TimerHandler, RecorderHandler, PrometheusSeries {
    private struct State {
        /// The count of each bucket, and of a last one for everything above the bounds.
        var counts: [UInt64]
        var sum = 0.0
        /// The newest exemplar of each bucket, by its number; empty without traces.
        var exemplars: [Int: (exemplar: Exemplar, value: Double)] = [:]
    }

    private let bounds: [Double]
    private let state: Mutex<State>

    init(bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) { record(value, nil) }

    func record(_ value: Double, _ exemplar: Exemplar?) {
        // Few bounds, mostly low observations: a linear search is faster than a binary search.
        var index = 0
        while index < bounds.count, value > bounds[index] { index += 1 }
        let bucket = index
        state.withLock { state in
            state.counts[bucket] += 1
            state.sum += value
            if let exemplar { state.exemplars[bucket] = (exemplar, value) }
        }
    }

    func appendSamples(name: String, labels: String, to text: inout String) {
        appendSamples(name: name, labels: labels, withExemplars: false, to: &text)
    }

    func appendSamples(name: String, labels: String, withExemplars: Bool, to text: inout String) {
        let (counts, sum, exemplars) = state.withLock { ($0.counts, $0.sum, $0.exemplars) }
        var total: UInt64 = 0
        for (index, count) in counts.enumerated() {
            total += count
            let bound = index < bounds.count ? PrometheusText.number(bounds[index]) : "+Inf"
            let separator = labels.isEmpty ? "" : ","
            PrometheusText.appendSample(
                name + "_bucket",
                "\(labels)\(separator)le=\"\(bound)\"",
                String(total) + (withExemplars ? exemplars[index].map { Self.text($0.exemplar, $0.value) } ?? "" : ""),
                to: &text
            )
        }
        PrometheusText.appendSample(name + "_sum", labels, PrometheusText.number(sum), to: &text)
        PrometheusText.appendSample(name + "_count", labels, String(total), to: &text)
    }

    private static func text(_ exemplar: Exemplar, _ value: Double) -> String {
        let seconds = Double(exemplar.at.milliseconds) / 1000
        return " # {trace_id=\"\(exemplar.trace.traceText)\"} \(PrometheusText.number(value)) \(seconds)"
    }
}
