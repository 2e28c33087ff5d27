import AsyncHTTPClient
import Foundation
import GatewayStorage
import ProcessHarness

/// A start of the gateway with very many deliveries that wait for an unreachable provider, and a claim of the next
/// thousand.
struct BacklogScenario {
    /// The number of waiting deliveries.
    var pending: Int

    private static let consumers = 10_000
    private static let claims = 20

    /// Fills the data of a gateway that is stopped, claims from it, and starts the gateway again.
    ///
    /// - Parameter http: An HTTP client.
    /// - Returns: The figures.
    /// - Throws: An error when the gateway rejects a request or does not start.
    func run(http: HTTPClient) async throws -> Report {
        try await Installation.use(quiet: true) { try await measure($0, http: http) }
    }

    private func measure(_ installation: Installation, http: HTTPClient) async throws -> Report {
        // Port 9 (discard) of the loopback address: nobody listens there.
        _ = try await installation.configure(
            http: http,
            consumers: Self.consumers,
            apnsEndpoint: "https://127.0.0.1:9"
        )
        _ = try await installation.gateway.process.stop()
        let claims = try await fill(installation.gateway.dataDirectory + "/switchboard.sqlite")

        let start = ContinuousClock.now
        let gateway = try await GatewayProcess.start(
            in: installation.directory,
            trustRoots: installation.simulator.authority,
            environment: ["SWITCHBOARD_LOG_LEVEL": "critical"]
        )
        let ready = seconds(ContinuousClock.now - start)
        // The lane claims as many as it has slots for, and finds its provider unreachable.
        try await Task.sleep(for: .seconds(5))
        let usage = try ProcessUsage(pid: gateway.process.id)
        _ = try await gateway.process.stop()

        var report = Report()
        let name = "\(pending) deliveries pending"
        report.add(name, "start to ready", ready, "s", atMost: 5)
        report.add(name, "gateway resident memory", Double(usage.residentBytes) / 1e6, "MB", atMost: 300)
        report.add(name, "gateway peak memory", Double(usage.peakResidentBytes) / 1e6, "MB", atMost: 300)
        report.add(name, "claim of 1000, median", claims.percentile(0.5) * 1e3, "ms", atMost: 20)
        report.add(name, "claim of 1000, slowest of \(claims.count)", claims.percentile(1) * 1e3, "ms")
        return report
    }

    /// Writes waiting rows, then claims some; returns the seconds of each claim.
    private func fill(_ path: String) async throws -> [Double] {
        let fixture = try StoreFixture(path: path, consumers: Self.consumers)
        try await fixture.begin()
        for first in stride(from: 0, to: pending, by: 500) {
            let count = min(500, pending - first)
            _ = try await fixture.store.commit(
                fixture.turn(run: "backlog", first: first, count: count, isOwned: false)
            )
        }
        var times: [Double] = []
        for _ in 0..<min(Self.claims, max(pending / 2000, 1)) {
            var turn = WriterTurn(now: fixture.now, incarnation: fixture.incarnation)
            turn.claims = [ClaimRequest(lane: fixture.lane, limit: 1000)]
            let start = ContinuousClock.now
            let result = try await fixture.store.commit(turn)
            times.append(seconds(ContinuousClock.now - start))
            guard result.claims.first?.rows.count == min(1000, pending) else {
                throw HarnessError("a claim brought \(result.claims.first?.rows.count ?? 0) rows")
            }
        }
        await fixture.store.close()
        return times
    }
}
