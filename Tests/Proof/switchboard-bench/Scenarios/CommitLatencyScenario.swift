import AsyncHTTPClient
import Foundation
import NIOCore
import ProcessHarness

/// The latency of a 202 at half of the highest rate of single events, compared with a bare `fdatasync` of the same
/// disk.
///
/// The lane's provider is unreachable, so that only the gateway and the load use the processor. Deliveries stay
/// pending, and a long backlog costs the writer more pages per commit: so the rounds are short.
struct CommitLatencyScenario {
    /// The number of events in a round that finds the highest rate.
    var probeEvents: Int
    /// The duration of a round at half of that rate in seconds.
    var seconds: Double
    /// The limit: the 99th percentile of a 202 as a multiple of that of a bare `fdatasync`.
    var ratioLimit = 20.0

    private static let consumers = 2000
    private static let syncs = 500
    private static let rounds = 9

    private struct Round {
        var highest: Double
        var responses: [Double]
        /// The same at the same rate from a server that stores nothing: the part of the host and the server.
        var bare: [Double]
        var syncs: [Double]

        var ratio: Double { responses.percentile(0.99) / syncs.percentile(0.99) }
    }

    /// Runs it on a fresh installation.
    ///
    /// - Parameters:
    ///   - group: The event loops of the load's connections.
    ///   - http: The HTTP client of unmeasured requests.
    /// - Returns: The figures.
    /// - Throws: An error when a request is rejected.
    func run(group: any EventLoopGroup, http: HTTPClient) async throws -> Report {
        try await Installation.use(quiet: true) { try await measure($0, group: group, http: http) }
    }

    private func measure(_ installation: Installation, group: any EventLoopGroup, http: HTTPClient) async throws
        -> Report
    {
        // Port 9 (discard) of the loopback address: nobody listens there.
        let authorization = try await installation.configure(
            http: http,
            consumers: Self.consumers,
            apnsEndpoint: "https://127.0.0.1:9"
        )
        let load = EventLoad(
            port: installation.gateway.port,
            authorization: authorization,
            consumers: Self.consumers
        )
        let bare = try await IntakeScenario.Server.start(database: nil, consumers: Self.consumers)
        for load in [load, bare.load] {
            _ = try await load.post(run: "warm", events: probeEvents / 10, group: group)
        }
        let file = installation.directory.path("sync-probe")
        var found: [Round] = []
        // A shared host is slow for seconds at a time: each round has its own highest rate and its own syncs.
        for round in 0..<Self.rounds {
            let start = ContinuousClock.now
            _ = try await load.post(run: "probe-\(round)", events: probeEvents, group: group)
            let highest = Double(probeEvents) / ProcessHarness.seconds(ContinuousClock.now - start)
            // Before and after the load, not during it: the probe would be measured too.
            var syncs = try SyncProbe.run(path: file, count: Self.syncs)
            var responses: [[Double]] = []
            for load in [load, bare.load] {
                responses.append(
                    try await load.post(
                        run: "half-\(round)",
                        events: Int(highest / 2 * seconds),
                        rate: highest / 2,
                        group: group
                    )
                )
            }
            syncs += try SyncProbe.run(path: file, count: Self.syncs)
            found.append(Round(highest: highest, responses: responses[0], bare: responses[1], syncs: syncs))
        }

        var report = Report()
        let name = "202 at half of the highest rate"
        func median(_ value: (Round) -> Double) -> Double { found.map(value).percentile(0.5) }
        report.add(name, "highest rate", median(\.highest), "events/s")
        report.add(name, "202 p50", median { $0.responses.percentile(0.5) } * 1e3, "ms")
        report.add(name, "202 p99", median { $0.responses.percentile(0.99) } * 1e3, "ms")
        report.add(name, "202 slowest", found.map { $0.responses.percentile(1) }.percentile(1) * 1e3, "ms")
        report.add(name, "p99 of a server that stores nothing", median { $0.bare.percentile(0.99) } * 1e3, "ms")
        report.add(name, "fdatasync p50", median { $0.syncs.percentile(0.5) } * 1e3, "ms")
        report.add(name, "fdatasync p99", median { $0.syncs.percentile(0.99) } * 1e3, "ms")
        report.add(name, "ratio of p99, best round", found.map(\.ratio).percentile(0), "x")
        report.add(name, "ratio of p99", median(\.ratio), "x", atMost: ratioLimit)
        let pooled = found.flatMap(\.responses).percentile(0.99) / found.flatMap(\.syncs).percentile(0.99)
        report.add(name, "ratio of p99, rounds together", pooled, "x")
        report.add(name, "ratio of p99, worst round", found.map(\.ratio).percentile(1), "x")
        return report
    }
}
