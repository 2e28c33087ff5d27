import Metrics
import Synchronization

/// Observations counted into fixed buckets; durations arrive in nanoseconds and are kept in seconds.
///
/// One short lock for each series keeps buckets, count and sum consistent with each other within one scrape.
final class PrometheusHistogram: TimerHandler, RecorderHandler, PrometheusSeries {
    private struct State {
        /// One for each bound and a last one for everything above.
        var counts: [UInt64]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Mutex<State>

    init(bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        // Few bounds, most observations low: a walk is quicker than a search by halves.
        var index = 0
        while index < bounds.count, value > bounds[index] { index += 1 }
        let bucket = index
        state.withLock { state in
            state.counts[bucket] += 1
            state.sum += value
        }
    }

    func appendSamples(name: String, labels: String, to text: inout String) {
        let (counts, sum) = state.withLock { ($0.counts, $0.sum) }
        var total: UInt64 = 0
        for (index, count) in counts.enumerated() {
            total += count
            let bound = index < bounds.count ? PrometheusText.number(bounds[index]) : "+Inf"
            let separator = labels.isEmpty ? "" : ","
            PrometheusText.appendSample(
                name + "_bucket",
                "\(labels)\(separator)le=\"\(bound)\"",
                String(total),
                to: &text
            )
        }
        PrometheusText.appendSample(name + "_sum", labels, PrometheusText.number(sum), to: &text)
        PrometheusText.appendSample(name + "_count", labels, String(total), to: &text)
    }
}
