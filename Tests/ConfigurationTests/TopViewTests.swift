import GatewayClient
import Testing

@testable import switchboard

@Suite("Live view")
struct TopViewTests {
    private static let first = """
        # HELP switchboard_intake_events_total Events by result.
        # TYPE switchboard_intake_events_total counter
        switchboard_intake_events_total{result="accepted"} 100
        switchboard_http_requests_total{method="GET",route="/v1/brands/{brand}",status_class="2xx"} 10
        switchboard_http_requests_total{method="PUT",route="a \\"b\\" \\\\",status_class="2xx"} 5
        switchboard_delivery_owned_rows{provider="apns"} 7
        switchboard_delivery_owned_rows{provider="fcm"} 0
        switchboard_delivery_outcomes_total{outcome="accepted",provider="apns",reason=""} 50
        switchboard_delivery_outcomes_total{outcome="retry",provider="apns",reason="other"} 9
        switchboard_delivery_provider_latency_seconds_bucket{provider="apns",le="0.01"} 5
        switchboard_delivery_provider_latency_seconds_bucket{provider="apns",le="0.05"} 5
        switchboard_delivery_provider_latency_seconds_bucket{provider="apns",le="+Inf"} 5
        process_cpu_seconds_total 12.5
        process_start_time_seconds 1000
        """

    private static let second = """
        switchboard_intake_events_total{result="accepted"} 125
        switchboard_http_requests_total{method="GET",route="/v1/brands/{brand}",status_class="2xx"} 20
        switchboard_http_requests_total{method="PUT",route="a \\"b\\" \\\\",status_class="2xx"} 5
        switchboard_delivery_owned_rows{provider="apns"} 7
        switchboard_delivery_owned_rows{provider="fcm"} 0
        switchboard_delivery_in_flight_pushes{provider="apns"} 3
        switchboard_delivery_oldest_waiting_seconds{provider="apns"} 90.2
        switchboard_delivery_open_breaker_lanes{provider="apns"} 1
        switchboard_delivery_outcomes_total{outcome="accepted",provider="apns",reason=""} 60
        switchboard_delivery_outcomes_total{outcome="retry",provider="apns",reason="other"} 10
        switchboard_delivery_provider_latency_seconds_bucket{provider="apns",le="0.01"} 9
        switchboard_delivery_provider_latency_seconds_bucket{provider="apns",le="0.05"} 14
        switchboard_delivery_provider_latency_seconds_bucket{provider="apns",le="+Inf"} 15
        switchboard_provider_connections{provider="apns",state="ready"} 2
        process_cpu_seconds_total 13.5
        process_start_time_seconds 1000
        switchboard_storage_free_bytes NaN
        broken{label="
        also broken
        """

    private static func reading(_ text: String, at seconds: Int, problem: String? = nil) -> TopReading {
        TopReading(
            time: start + .seconds(seconds),
            samples: MetricSamples(text),
            problem: problem,
            isClockGuarded: false
        )
    }

    private static let start = ContinuousClock.now

    private static func snapshot(problem: String? = nil, lanes: [JSONValue]? = nil) -> TopSnapshot {
        TopSnapshot(reading(first, at: 0), reading(second, at: 5, problem: problem), lanes: lanes)
    }

    @Test("samples are read with labels that hold braces, quotes and backslashes; what has another form is left out")
    func samples() {
        let samples = MetricSamples(Self.second)
        #expect(samples.sum("switchboard_http_requests_total") == 25)
        #expect(samples.sum("switchboard_http_requests_total", ["route": "/v1/brands/{brand}"]) == 20)
        #expect(samples.sums("switchboard_http_requests_total", by: "route")[#"a "b" \"#] == 5)
        #expect(samples.sum("switchboard_storage_free_bytes") == 0)
        #expect(samples.sum("broken") == 0 && samples.sum("also") == 0)
        let bounds = samples.buckets("switchboard_delivery_provider_latency_seconds", ["provider": "apns"])
        #expect(bounds.map(\.bound) == [0.01, 0.05, .infinity] && bounds.map(\.count) == [9, 14, 15])
    }

    @Test("rates are those between two readings; a counter that fell began again")
    func rates() throws {
        let snapshot = Self.snapshot()
        #expect(snapshot.seconds == 5 && snapshot.events["accepted"] == 5 && snapshot.events["rejected"] == 0)
        #expect(snapshot.requests == 2 && snapshot.cores == 0.2)
        let apns = try #require(snapshot.providers.first)
        #expect(snapshot.providers.count == 1, "a transport that nobody uses is not shown")
        #expect(apns.accepted == 2 && abs(apns.other - 0.2) < 1e-9)
        #expect(apns.median == 0.05 && apns.slowest == .infinity)
        #expect(apns.state == "1 stopped" && apns.connections == 2)
        let restarted = TopSnapshot(Self.reading(Self.second, at: 0), Self.reading(Self.first, at: 5))
        #expect(restarted.events["accepted"] == 20)
        let none = TopSnapshot(Self.reading("", at: 0), Self.reading("", at: 0))
        #expect(none.requests == 0 && none.providers.isEmpty && none.slowestCommit == nil)
    }

    @Test("JSON has every number, and null for a bound above all")
    func json() throws {
        let lane: JSONValue = ["id": "ios:apns:production"]
        let json = Self.snapshot(problem: "the disk is full", lanes: [lane]).json
        #expect(json["ready"] == .bool(false) && json["problem"] == "the disk is full")
        #expect(json["eventsPerSecond"]["accepted"] == .number(5))
        #expect(json["lanes"].items == [lane])
        let apns = try #require(json["providers"].items.first)
        #expect(apns["latencySecondsP50"] == .number(0.05) && apns["latencySecondsP99"] == .null)
        #expect(apns["inFlight"].integer == 3)
        #expect(json.text.hasPrefix("{"))
        #expect(Self.snapshot().json["problem"] == .null && Self.snapshot().json["lanes"] == .null)
    }

    @Test("a wide terminal shows everything")
    func wide() {
        let lines = TopView.lines(Self.snapshot(), width: 120, now: 1000 + 7200)
        #expect(
            lines == [
                "gateway   ready  up 2 h  0 MiB  0.2 cores  0 of 0 files",
                "events    5.0/s accepted  0.0/s duplicate  0.0/s rejected  0.0/s overloaded  0 pending",
                "callers   2.0 requests/s  0 connections  0 windows  0.0 frames/s",
                "store     99 % within -  0 errors  0 MiB free",
                "outbound  0.0 items/s  0 behind  0 webhooks failing",
                "",
                "PROVIDER  ACCEPTED/S  OTHER/S  OLDEST  IN FLIGHT  IN MEMORY  HALF IN  99 % IN        CONNECTIONS  STATE",
                "apns      2.0         0.2      90 s    3          7          50 ms    over a minute  2            1 stopped",
            ]
        )
    }

    @Test("each canary of the brand's lanes has a line with its last verdict and its age")
    func canaries() {
        func lane(_ id: String, _ canary: JSONValue) -> JSONValue { ["id": .string(id), "canary": canary] }
        let lanes = [
            lane("a", ["condition": "accepted", "attemptedAt": "1970-01-01T00:30:00.000Z", "sentence": "Fine."]),
            lane("b", .null),
            lane("c", ["condition": "waiting", "attemptedAt": .null, "sentence": "Its first push leaves.\u{1B}[2J"]),
        ]
        let lines = TopView.lines(Self.snapshot(lanes: lanes), width: 100, now: 2000).filter { $0.hasPrefix("canary") }
        #expect(lines.count == 2 && lines.first == "canary  a  accepted  3 min ago", "\(lines)")
        #expect(lines.last?.hasPrefix("canary  c  waiting  Its first push leaves.") == true)
        #expect(!lines.joined().contains("\u{1B}"))
        let metrics = """
            switchboard_canaries{condition="accepted"} 3
            switchboard_canaries{condition="failing"} 1
            switchboard_canaries{condition="gone"} 0
            """
        let snapshot = TopSnapshot(Self.reading("", at: 0), Self.reading(metrics, at: 5))
        #expect(TopView.lines(snapshot, width: 80, now: 0).contains("canaries  3 accepted  1 failing"))
        #expect(snapshot.json["canaries"] == ["accepted": .number(3), "failing": .number(1)])
        #expect(!TopView.lines(Self.snapshot(lanes: [lane("b", .null)]), width: 80, now: 0).joined().contains("canar"))
    }

    @Test("a narrow terminal shows what matters most, and no line is longer", arguments: [20, 39, 40, 60, 80])
    func narrow(width: Int) {
        let lanes: [JSONValue] = [
            [
                "id": "ios:apns:production", "depth": ["agent": 3, "badge": 1, "proactive": 0], "inFlight": 1,
                "oldestWaitSeconds": 61, "state": "stopped",
                "sentence": "The provider rejects the credential; one push is sent as a probe.\u{1B}[2J",
            ]
        ]
        let problem = "The store does not accept events.\u{7}"
        let lines = TopView.lines(Self.snapshot(problem: problem, lanes: lanes), width: width, now: 2000)
        #expect(lines.allSatisfy { $0.count <= width }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("PROVIDER") } && lines.contains { $0.hasPrefix("apns") })
        #expect(lines.contains { $0.hasPrefix("LANE") } == (width >= 60))
        #expect(
            lines.contains { $0.hasPrefix("ios:apns:production") } && lines.contains { $0.contains("The provider") }
        )
        #expect(!lines.joined().unicodeScalars.contains { $0.value < 0x20 })
        #expect(lines.joined().contains("NOT READY"))
        if width >= 40 { #expect(lines.contains { $0.contains("1 stopped") }) }
    }

    @Test(
        "numbers are short",
        arguments: [
            (0.0, "0 ms"), (0.0254, "25 ms"), (1, "1 s"), (119, "119 s"), (120, "2 min"), (7200, "2 h"),
            (200_000, "2 d"),
        ]
    )
    func numbers(seconds: Double, text: String) {
        #expect(TopView.time(seconds) == text)
        #expect(TopView.rate(99.96) == "100.0" && TopView.rate(1234.4) == "1234" && TopView.whole(.infinity) == "-")
        #expect(TopView.bytes(512 * 1_048_576) == "512 MiB" && TopView.bytes(20e9) == "19 GiB")
    }
}
