import GatewayModel
import Metrics
import Testing

@testable import Telemetry

@Suite("Prometheus registry")
struct PrometheusRegistryTests {
    private static let declarations = [
        MetricDeclaration("test_things_total", .counter, help: "Things\nwith \\.", labels: ["kind"]),
        MetricDeclaration("test_wait_seconds", .histogram(bounds: [0.1, 1]), help: "Waits."),
        MetricDeclaration("test_depth_rows", .gauge, help: "Depth."),
    ]
    private let registry = PrometheusRegistry(declarations: declarations)

    @Test("counters, gauges and histograms are rendered in the text format, sorted")
    func textFormat() {
        Counter(label: "test_things_total", dimensions: [("kind", "b")], factory: registry).increment(by: 3)
        Counter(label: "test_things_total", dimensions: [("kind", "a")], factory: registry).increment()
        let timer = Timer(label: "test_wait_seconds", factory: registry)
        timer.recordMilliseconds(50)
        timer.recordMilliseconds(100)
        timer.recordMilliseconds(500)
        timer.recordSeconds(3)
        let depth = Meter(label: "test_depth_rows", factory: registry)
        depth.set(7)
        depth.increment(by: 0.5)
        depth.decrement()
        #expect(
            registry.render() == """
                # HELP switchboard_telemetry_dropped_series_total Series that were dropped: too many series, or one name used for two kinds.
                # TYPE switchboard_telemetry_dropped_series_total counter
                switchboard_telemetry_dropped_series_total 0
                # HELP test_depth_rows Depth.
                # TYPE test_depth_rows gauge
                test_depth_rows 6.5
                # HELP test_things_total Things\\nwith \\\\.
                # TYPE test_things_total counter
                test_things_total{kind="a"} 1
                test_things_total{kind="b"} 3
                # HELP test_wait_seconds Waits.
                # TYPE test_wait_seconds histogram
                test_wait_seconds_bucket{le="0.1"} 2
                test_wait_seconds_bucket{le="1"} 3
                test_wait_seconds_bucket{le="+Inf"} 4
                test_wait_seconds_sum 3.65
                test_wait_seconds_count 4

                """
        )
    }

    @Test("OpenMetrics names counters without _total, and has the newest trace of each bucket")
    func openMetrics() throws {
        Counter(label: "test_things_total", dimensions: [("kind", "a")], factory: registry).increment()
        Counter(label: "library_things", factory: registry).increment()
        let timer = ExemplarTimer(Self.declarations[1], dimensions: [], factory: registry)
        let trace = try #require(
            SpanIdentity(traceParent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        )
        let at = Timestamp(milliseconds: 1_767_323_045_678)
        timer.record(nanoseconds: 50_000_000, Exemplar(SpanIdentity(parent: trace), at: at.adding(seconds: -1)))
        timer.record(nanoseconds: 50_000_000, Exemplar(trace, at: at))
        timer.record(nanoseconds: 500_000_000, nil)
        let text = registry.render(openMetrics: true)
        #expect(
            text == """
                # HELP library_things Metric of a library.
                # TYPE library_things unknown
                library_things 1
                # HELP switchboard_telemetry_dropped_series Series that were dropped: too many series, or one name used for two kinds.
                # TYPE switchboard_telemetry_dropped_series counter
                switchboard_telemetry_dropped_series_total 0
                # HELP test_things Things\\nwith \\\\.
                # TYPE test_things counter
                test_things_total{kind="a"} 1
                # HELP test_wait_seconds Waits.
                # TYPE test_wait_seconds histogram
                test_wait_seconds_bucket{le="0.1"} 2 # {trace_id="0af7651916cd43dd8448eb211c80319c"} 0.05 1767323045.678
                test_wait_seconds_bucket{le="1"} 3
                test_wait_seconds_bucket{le="+Inf"} 3
                test_wait_seconds_sum 0.6
                test_wait_seconds_count 3
                # EOF

                """
        )
        #expect(!registry.render().contains("trace_id") && !registry.render().contains("# EOF"))
    }

    @Test(
        "label values are escaped",
        arguments: [("a\"b", "a\\\"b"), ("a\\b", "a\\\\b"), ("a\nb", "a\\nb"), ("äß", "äß")]
    )
    func escaping(value: String, escaped: String) {
        Counter(label: "x_total", dimensions: [("l", value)], factory: registry).increment()
        #expect(registry.render().contains("x_total{l=\"\(escaped)\"} 1\n"))
    }

    @Test("characters that names must not have are replaced", arguments: [("a.b-c", "a_b_c"), ("9x", "_9x")])
    func names(name: String, safe: String) {
        Counter(label: name, factory: registry).increment()
        #expect(registry.render().contains("\n\(safe) 1\n"))
    }

    @Test("the same name and labels in another order count into the same series")
    func sameSeries() {
        Counter(label: "x_total", dimensions: [("a", "1"), ("b", "2")], factory: registry).increment()
        Counter(label: "x_total", dimensions: [("b", "2"), ("a", "1")], factory: registry).increment()
        #expect(registry.render().contains("x_total{a=\"1\",b=\"2\"} 2\n"))
    }

    @Test("series above the limit are dropped and counted, existing ones continue")
    func bounded() {
        let small = PrometheusRegistry(declarations: [], maxSeries: 2)
        for index in 0..<5 {
            Counter(label: "x_total", dimensions: [("i", String(index))], factory: small).increment()
        }
        Counter(label: "x_total", dimensions: [("i", "0")], factory: small).increment()
        let text = small.render()
        #expect(text.contains("x_total{i=\"0\"} 2\n"))
        #expect(text.contains("x_total{i=\"1\"} 1\n"))
        #expect(!text.contains("i=\"2\""))
        #expect(text.contains("switchboard_telemetry_dropped_series_total 3\n"))
    }

    @Test("a name that is used for two kinds keeps its first kind")
    func kindClash() {
        Counter(label: "test_things_total", dimensions: [("kind", "a")], factory: registry).increment()
        Meter(label: "test_things_total", dimensions: [("kind", "z")], factory: registry).set(9)
        Timer(label: "test_things_total", dimensions: [("kind", "a")], factory: registry).recordSeconds(1)
        let text = registry.render()
        #expect(text.contains("test_things_total{kind=\"a\"} 1\n"))
        #expect(!text.contains("kind=\"z\""))
        #expect(text.contains("switchboard_telemetry_dropped_series_total 2\n"))
    }

    @Test("a destroyed metric is not rendered, and its name starts again at zero")
    func destroy() {
        let counter = Counter(label: "x_total", factory: registry)
        counter.increment(by: 5)
        counter.destroy()
        #expect(!registry.render().contains("x_total"))
        Counter(label: "x_total", factory: registry).increment()
        #expect(registry.render().contains("x_total 1\n"))
    }

    @Test("increments from many tasks are all counted")
    func concurrency() async {
        let counter = Counter(label: "x_total", factory: registry)
        let timer = Timer(label: "test_wait_seconds", factory: registry)
        let gauge = Meter(label: "test_depth_rows", factory: registry)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<1000 {
                        counter.increment()
                        timer.recordSeconds(1)
                        gauge.increment()
                    }
                }
            }
        }
        let text = registry.render()
        #expect(text.contains("x_total 8000\n"))
        #expect(text.contains("test_wait_seconds_count 8000\n"))
        #expect(text.contains("test_wait_seconds_sum 8000\n"))
        #expect(text.contains("test_depth_rows 8000\n"))
    }

    @Test("collectors run before each scrape")
    func collectors() {
        let gauge = Meter(label: "test_depth_rows", factory: registry)
        registry.addCollector { gauge.increment() }
        _ = registry.render()
        #expect(registry.render().contains("test_depth_rows 2\n"))
    }
}
