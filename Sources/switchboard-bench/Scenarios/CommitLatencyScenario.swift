import AsyncHTTPClient
import Foundation
import NIOCore
import ProcessHarness

/// How long a 202 takes at half of the highest rate of single events, beside a bare `fdatasync` of the same disk.
///
/// The lane's provider is dead, so that the processor is the gateway's and the load's alone.
struct CommitLatencyScenario {
    /// How many events are posted to find the highest rate.
    var probeEvents: Int
    /// How long events are posted at half of it, in seconds.
    var seconds: Double
    /// What must be reached: the 99th percentile of a 202 as a multiple of that of a bare `fdatasync`.
    var ratioLimit = 20.0

    private static let consumers = 2000
    private static let syncs = 1000

    /// Runs it on a fresh installation.
    ///
    /// - Parameters:
    ///   - group: Where the load's connections live.
    ///   - http: A client for everything that is not measured.
    /// - Returns: The figures.
    /// - Throws: When a request is refused.
    func run(group: any EventLoopGroup, http: HTTPClient) async throws -> Report {
        let installation = try await Installation.start(quiet: true)
        do {
            let report = try await measure(installation, group: group, http: http)
            await installation.stop()
            return report
        } catch {
            await installation.stop()
            throw error
        }
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
        _ = try await load.post(run: "warm", events: probeEvents / 10, group: group)
        let start = ContinuousClock.now
        _ = try await load.post(run: "probe", events: probeEvents, group: group)
        let highest = Double(probeEvents) / ProcessHarness.seconds(ContinuousClock.now - start)
        // Before and after, not beside the load: that would be measured too.
        let file = installation.directory.path("sync-probe")
        var syncs = try SyncProbe.run(path: file, count: Self.syncs)
        let answers = try await load.post(
            run: "half",
            events: Int(highest / 2 * seconds),
            rate: highest / 2,
            group: group
        )
        syncs += try SyncProbe.run(path: file, count: Self.syncs)

        var report = Report()
        let name = "202 at half of the highest rate"
        report.add(name, "highest rate", highest, "events/s")
        report.add(name, "202 p50", answers.percentile(0.5) * 1e3, "ms")
        report.add(name, "202 p99", answers.percentile(0.99) * 1e3, "ms")
        report.add(name, "202 slowest", answers.percentile(1) * 1e3, "ms")
        report.add(name, "fdatasync p50", syncs.percentile(0.5) * 1e3, "ms")
        report.add(name, "fdatasync p99", syncs.percentile(0.99) * 1e3, "ms")
        report.add(
            name,
            "ratio of p99",
            answers.percentile(0.99) / syncs.percentile(0.99),
            "x",
            atMost: ratioLimit
        )
        return report
    }
}
