import AsyncHTTPClient
import Foundation
import ProcessHarness

/// What other devices of an app notice when one of them is to get very many pushes, and the provider is far away.
///
/// Two gateways with a lane each; on one of them a consumer has got all the events before the first round. Their events come
/// in turns, so that whatever else the machine does hits both alike.
struct BusyDeviceScenario {
    /// How many rounds.
    var rounds: Int
    /// How long one round lasts.
    var seconds = 3
    /// Events a second to the others of each gateway.
    var rate = 200
    /// Events to the busy consumer.
    var events = 10_000
    /// How long the provider's answers take, in milliseconds.
    var delay = 60
    /// What must be reached: the others' p95 with the busy device by that without.
    var ratioLimit = 1.2

    private static let others = 500

    /// Runs it on fresh installations.
    ///
    /// - Parameter http: A client; its connections are kept alive.
    /// - Returns: The figures.
    /// - Throws: When a request is refused or a push is missing.
    func run(http: HTTPClient) async throws -> Report {
        try await Installation.use(quiet: false) { busy in
            try await Installation.use(quiet: false) { idle in try await measure(busy, idle, http) }
        }
    }

    private func measure(_ busy: Installation, _ idle: Installation, _ http: HTTPClient) async throws -> Report {
        var loads: [TimedEvents] = []
        for site in [busy, idle] {
            let authorization = try await site.configure(http: http, consumers: Self.others + 1)
            try await site.delayAnswers(milliseconds: delay, http)
            var load = TimedEvents(site, http: http, authorization: authorization, consumers: Self.others)
            // Connections to the provider, and as many of them as the load needs.
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
