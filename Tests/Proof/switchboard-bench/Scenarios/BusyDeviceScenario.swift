import AsyncHTTPClient
import Foundation
import ProcessHarness

/// The effect of one device with very many pushes on other devices of the app, with a distant provider.
///
/// Two gateways with a lane each; on one of them a consumer received all the events before the first round. Their
/// events alternate, so that other load of the host affects both equally.
struct BusyDeviceScenario {
    /// The number of rounds.
    var rounds: Int
    /// The duration of one round in seconds.
    var seconds = 3
    /// Events per second to the others of each gateway.
    var rate = 200
    /// Events to the busy consumer.
    var events = 10_000
    /// The delay of the provider's responses in milliseconds.
    var delay = 60
    /// The limit: the others' p95 with the busy device as a multiple of that without.
    var ratioLimit = 1.2

    private static let others = 500

    /// Runs it on fresh installations.
    ///
    /// - Parameter http: An HTTP client with keep-alive connections.
    /// - Returns: The figures.
    /// - Throws: An error when a request is rejected or a push is missing.
    func run(http: HTTPClient) async throws -> Report {
        try await Installation.use(quiet: false) { busy in
            try await Installation.use(quiet: false) { idle in try await measure(busy, idle, http) }
        }
    }

    private func measure(_ busy: Installation, _ idle: Installation, _ http: HTTPClient) async throws -> Report {
        var loads: [TimedEvents] = []
        for installation in [busy, idle] {
            let authorization = try await installation.configure(http: http, consumers: Self.others + 1)
            try await installation.delayResponses(milliseconds: delay, http)
            var load = TimedEvents(installation, http: http, authorization: authorization, consumers: Self.others)
            // Opens the connections to the provider that the load needs.
            _ = try await load.latencies(run: "warm", events: seconds * rate, rate: rate)
            loads.append(load)
        }
        let range = Self.others..<Self.others + 1
        let authorization = loads[0].authorization
        let many = BatchedEvents(busy, http: http, authorization: authorization, consumers: range)
        for _ in stride(from: 0, to: events, by: 500) { try await many.post(500) }
        var turns: [(busy: Double, idle: Double)] = []
        for round in 0..<rounds {
            let first = ContinuousClock.now + .milliseconds(20)
            let half = Duration.microseconds(1_000_000 / (2 * rate))
            let (count, rate) = (seconds * rate, rate)
            let (left, right) = (loads[0], loads[1])
            async let one = Self.p95(left, "lap\(round)", count, rate, first + half * (round % 2))
            async let other = Self.p95(right, "lap\(round)", count, rate, first + half * ((round + 1) % 2))
            let (a, b) = try await (one, other)
            loads = [a.load, b.load]
            turns.append((a.p95, b.p95))
        }
        let sent = try await busy.simulator.acceptedPushes(http) - (rounds + 1) * seconds * rate
        var report = Report()
        let name = "one device with \(events) events, provider \(delay) ms away"
        let p95 = "others, posted to push received, p95"
        report.add(name, p95 + ", without it", turns.map(\.idle).median, "ms")
        report.add(name, p95, turns.map(\.busy).median, "ms")
        report.add(name, "ratio of each round, median", turns.map { $0.busy / $0.idle }.median, "", atMost: ratioLimit)
        report.add(name, "pushes that the busy device got meanwhile", Double(sent), "", atLeast: 1)
        return report
    }

    private static func p95(
        _ load: TimedEvents,
        _ run: String,
        _ events: Int,
        _ rate: Int,
        _ start: ContinuousClock.Instant
    ) async throws -> (p95: Double, load: TimedEvents) {
        var load = load
        let latencies = try await load.latencies(run: run, events: events, rate: rate, from: start)
        return (latencies.percentile(0.95), load)
    }
}
