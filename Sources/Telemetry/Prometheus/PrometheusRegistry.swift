package import Metrics
import Synchronization

/// Keeps every metric of the process and writes them in the Prometheus text format.
///
/// Any thread may call. Making a metric takes a lock, so it is done once, at start or when a route is first seen;
/// counting takes none that another metric shares. Names of ``MetricCatalogue`` get their kind and help from there; other
/// names (a library's own) are taken as they come. The number of series is bounded: what goes over the limit counts into
/// nowhere and shows in `switchboard_telemetry_dropped_series_total`.
package final class PrometheusRegistry: MetricsFactory {
    /// The `Content-Type` of ``render()``.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private struct Family {
        var kind: MetricDeclaration.Kind
        var help: String
        var series: [String: any PrometheusSeries] = [:]
    }

    private struct State {
        var families: [String: Family] = [:]
        var seriesCount = 0
        var collectors: [@Sendable () -> Void] = []
    }

    private let declarations: [String: MetricDeclaration]
    private let maxSeries: Int
    private let state = Mutex(State())
    private let dropped = PrometheusCounter()

    /// An empty registry.
    ///
    /// - Parameters:
    ///   - declarations: The metrics that are known by name.
    ///   - maxSeries: How many series it holds at most; 10,000 is far above what the closed label sets can make.
    package init(declarations: [MetricDeclaration] = MetricCatalogue.all, maxSeries: Int = 10_000) {
        self.declarations = Dictionary(declarations.map { ($0.name, $0) }) { first, _ in first }
        self.maxSeries = maxSeries
        let name = MetricCatalogue.telemetryDroppedSeries
        state.withLock {
            $0.families[name.name] = Family(kind: name.kind, help: name.help, series: ["": dropped])
        }
    }

    /// Adds something that brings gauges up to date before each scrape.
    ///
    /// - Parameter collector: Quick; called on the thread that renders.
    package func addCollector(_ collector: @escaping @Sendable () -> Void) {
        state.withLock { $0.collectors.append(collector) }
    }

    /// Every metric as text, sorted by name and labels.
    ///
    /// - Returns: Lines of the text format 0.0.4.
    package func render() -> String {
        for collector in state.withLock({ $0.collectors }) { collector() }
        // Only references are copied under the lock; the text is made outside it.
        let families = state.withLock { $0.families }
        var text = ""
        text.reserveCapacity(64 * families.values.reduce(0) { $0 + $1.series.count })
        for (name, family) in families.sorted(by: { $0.key < $1.key }) where !family.series.isEmpty {
            PrometheusText.appendHeader(name: name, typeName: family.kind.typeName, help: family.help, to: &text)
            for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
                series.appendSamples(name: name, labels: labels, to: &text)
            }
        }
        return text
    }

    /// Finds or makes a series.
    ///
    /// - Parameters:
    ///   - label: The metric's name as the caller gave it.
    ///   - dimensions: The labels.
    ///   - fallback: What kind a name gets that is not declared.
    ///   - make: Makes the series for a kind; nil when the caller's handler cannot be of that kind.
    /// - Returns: The series; one that is not rendered when the registry is full or the name is of another kind.
    private func series<Series: PrometheusSeries>(
        _ label: String,
        _ dimensions: [(String, String)],
        fallback: MetricDeclaration.Kind,
        make: (MetricDeclaration.Kind) -> Series
    ) -> Series {
        let name = PrometheusText.safeName(label, colons: true)
        let declaration = declarations[name]
        let kind = declaration?.kind ?? fallback
        let labels = PrometheusText.labels(dimensions)
        let found: Series? = state.withLock { state in
            var family = state.families[name] ?? Family(kind: kind, help: declaration?.help ?? "Metric of a library.")
            if let known = family.series[labels] { return known as? Series }
            guard state.seriesCount < maxSeries, family.kind.typeName == fallback.typeName else { return nil }
            let new = make(family.kind)
            family.series[labels] = new
            state.families[name] = family
            state.seriesCount += 1
            return new
        }
        if let found { return found }
        dropped.increment(by: 1)
        return make(fallback)
    }

    private func remove(_ handler: any PrometheusSeries) {
        state.withLock { state in
            for name in state.families.keys {
                guard let labels = state.families[name]?.series.first(where: { $0.value === handler })?.key else {
                    continue
                }
                state.families[name]?.series[labels] = nil
                state.seriesCount -= 1
                return
            }
        }
    }

    private static func bounds(_ kind: MetricDeclaration.Kind, or fallback: [Double]) -> [Double] {
        if case .histogram(let bounds) = kind { bounds } else { fallback }
    }
}

extension PrometheusRegistry {
    /// A counter, found by name and labels or made.
    ///
    /// - Parameters:
    ///   - label: The metric's name.
    ///   - dimensions: The labels.
    /// - Returns: The counter.
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions, fallback: .counter) { _ in PrometheusCounter() }
    }

    /// A counter with a fraction, found by name and labels or made.
    ///
    /// - Parameters:
    ///   - label: The metric's name.
    ///   - dimensions: The labels.
    /// - Returns: The counter.
    package func makeFloatingPointCounter(
        label: String,
        dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(label, dimensions, fallback: .counter) { _ in PrometheusDecimalCounter() }
    }

    /// A gauge, found by name and labels or made.
    ///
    /// - Parameters:
    ///   - label: The metric's name.
    ///   - dimensions: The labels.
    /// - Returns: The gauge.
    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions, fallback: .gauge) { _ in PrometheusGauge() }
    }

    /// A histogram of values, or a gauge when nothing is aggregated, found by name and labels or made.
    ///
    /// - Parameters:
    ///   - label: The metric's name.
    ///   - dimensions: The labels.
    ///   - aggregate: Whether it is a histogram.
    /// - Returns: The recorder.
    package func makeRecorder(
        label: String,
        dimensions: [(String, String)],
        aggregate: Bool
    ) -> any RecorderHandler {
        if !aggregate { return series(label, dimensions, fallback: .gauge) { _ in PrometheusGauge() } }
        let fallback = MetricCatalogue.countBounds
        return series(label, dimensions, fallback: .histogram(bounds: fallback)) { kind in
            PrometheusHistogram(bounds: Self.bounds(kind, or: fallback))
        }
    }

    /// A histogram of durations in seconds, found by name and labels or made.
    ///
    /// - Parameters:
    ///   - label: The metric's name.
    ///   - dimensions: The labels.
    /// - Returns: The timer.
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        let fallback = MetricCatalogue.secondBounds
        return series(label, dimensions, fallback: .histogram(bounds: fallback)) { kind in
            PrometheusHistogram(bounds: Self.bounds(kind, or: fallback))
        }
    }

    /// Forgets a counter.
    ///
    /// - Parameter handler: One that this registry made.
    package func destroyCounter(_ handler: any CounterHandler) {
        if let series = handler as? any PrometheusSeries { remove(series) }
    }

    /// Forgets a counter with a fraction.
    ///
    /// - Parameter handler: One that this registry made.
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {
        if let series = handler as? any PrometheusSeries { remove(series) }
    }

    /// Forgets a gauge.
    ///
    /// - Parameter handler: One that this registry made.
    package func destroyMeter(_ handler: any MeterHandler) {
        if let series = handler as? any PrometheusSeries { remove(series) }
    }

    /// Forgets a recorder.
    ///
    /// - Parameter handler: One that this registry made.
    package func destroyRecorder(_ handler: any RecorderHandler) {
        if let series = handler as? any PrometheusSeries { remove(series) }
    }

    /// Forgets a timer.
    ///
    /// - Parameter handler: One that this registry made.
    package func destroyTimer(_ handler: any TimerHandler) {
        if let series = handler as? any PrometheusSeries { remove(series) }
    }
}
