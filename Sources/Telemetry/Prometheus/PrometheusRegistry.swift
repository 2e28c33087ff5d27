package import Metrics
import Synchronization

/// Stores every metric of the process and writes them in the Prometheus text format or in OpenMetrics.
///
/// Usable from any thread. Creating a metric takes a lock, so it is done once, at start or when a route is first used.
/// Counting takes no lock that another metric shares. Names of ``MetricCatalogue`` get their kind and help from there;
/// other names (from a library) are accepted unchanged. The number of series is limited: a series above the limit is
/// not rendered and is counted in `switchboard_telemetry_dropped_series_total`.
package final class PrometheusRegistry: MetricsFactory {

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

    /// Creates an empty registry; by default with far more series than the closed label sets can create.
    package init(declarations: [MetricDeclaration] = MetricCatalogue.all, maxSeries: Int = 10_000) {
        self.declarations = Dictionary(declarations.map { ($0.name, $0) }) { first, _ in first }
        self.maxSeries = maxSeries
        let name = MetricCatalogue.telemetryDroppedSeries
        state.withLock {
            $0.families[name.name] = Family(kind: name.kind, help: name.help, series: ["": dropped])
        }
    }

    /// Adds a function that updates gauges before each scrape; it must be fast and is called on the thread that
    /// renders.
    package func addCollector(_ collector: @escaping @Sendable () -> Void) {
        state.withLock { $0.collectors.append(collector) }
    }

    /// Returns every metric, sorted by name and labels: in the text format 0.0.4, or in OpenMetrics with exemplars.
    package func render(openMetrics: Bool = false) -> String {
        for collector in state.withLock({ $0.collectors }) { collector() }
        // Only references are copied under the lock; the text is built outside it.
        let families = state.withLock { $0.families }
        var text = ""
        text.reserveCapacity(64 * families.values.reduce(0) { $0 + $1.series.count })
        for (name, family) in families.sorted(by: { $0.key < $1.key }) where !family.series.isEmpty {
            PrometheusText.appendHeader(
                name: name,
                typeName: family.kind.typeName,
                help: family.help,
                isOpenMetrics: openMetrics,
                to: &text
            )
            for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
                if openMetrics, let histogram = series as? PrometheusHistogram {
                    histogram.appendSamples(name: name, labels: labels, withExemplars: true, to: &text)
                } else {
                    series.appendSamples(name: name, labels: labels, to: &text)
                }
            }
        }
        if openMetrics { text += "# EOF\n" }
        return text
    }

    /// Finds or creates a series; one that is not rendered when the registry is full or the name belongs to another
    /// kind.
    ///
    /// A name that is not declared is of the kind `fallback`. `make` creates the series of a kind; nil when the
    /// caller's handler cannot be of that kind.
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
    /// Finds a counter by name and labels, or creates it.
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions, fallback: .counter) { _ in PrometheusCounter() }
    }

    /// Finds a decimal counter by name and labels, or creates it.
    package func makeFloatingPointCounter(
        label: String,
        dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(label, dimensions, fallback: .counter) { _ in PrometheusDecimalCounter() }
    }

    /// Finds a gauge by name and labels, or creates it.
    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions, fallback: .gauge) { _ in PrometheusGauge() }
    }

    /// Finds a histogram of values, or a gauge when nothing is aggregated, by name and labels, or creates it.
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

    /// Finds a histogram of durations in seconds by name and labels, or creates it.
    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        let fallback = MetricCatalogue.secondBounds
        return series(label, dimensions, fallback: .histogram(bounds: fallback)) { kind in
            PrometheusHistogram(bounds: Self.bounds(kind, or: fallback))
        }
    }

    /// Removes a counter.
    package func destroyCounter(_ handler: any CounterHandler) {
        if let series = handler as? any PrometheusSeries { remove(series) }
    }

    /// Removes a decimal counter.
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {
        if let series = handler as? any PrometheusSeries { remove(series) }
    }

    /// Removes a gauge.
    package func destroyMeter(_ handler: any MeterHandler) {
        if let series = handler as? any PrometheusSeries { remove(series) }
    }

    /// Removes a recorder.
    package func destroyRecorder(_ handler: any RecorderHandler) {
        if let series = handler as? any PrometheusSeries { remove(series) }
    }

    /// Removes a timer.
    package func destroyTimer(_ handler: any TimerHandler) {
        if let series = handler as? any PrometheusSeries { remove(series) }
    }
}
