import AsyncHTTPClient
import Foundation
import ProcessHarness

/// The effect of a lane whose provider is silent on another lane.
///
/// Three gateways have two lanes each; one of them has a silent provider from the first round to the last. Their events
/// alternate, so that other load of the host affects all three equally; a difference between the two healthy ones is
/// noise.
struct BulkheadScenario {
    /// The number of rounds.
    var rounds: Int
    /// The duration of one round in seconds.
    var seconds = 3
    /// Events per second to the measured lane of each gateway.
    var rate = 200
    /// The limit: the change of the p99 by the fault beyond the noise, in percent.
    var changeLimit: Double

    /// Runs it on fresh installations.
    ///
    /// - Parameter http: An HTTP client with keep-alive connections.
    /// - Returns: The figures.
    /// - Throws: An error when a request is rejected or a push is missing.
    func run(http: HTTPClient) async throws -> Report {
        var fixtures: [BulkheadFixture] = []
        let result: Result<Report, any Error>
        do {
            for _ in 0..<3 { fixtures.append(try await BulkheadFixture(http: http)) }
            result = .success(try await measure(fixtures))
        } catch { result = .failure(error) }
        for fixture in fixtures { await fixture.stop() }
        return try result.get()
    }

    private func measure(_ fixtures: [BulkheadFixture]) async throws -> Report {
        await fixtures[0].silenceFCM()
        let start = ContinuousClock.now
        for fixture in fixtures { try await fixture.fillFCM() }
        var turns: [(silent: Double, healthy: Double, other: Double)] = []
        for round in 0..<rounds {
            let first = ContinuousClock.now + .milliseconds(20)
            // The order of the three rotates.
            func due(_ index: Int) -> ContinuousClock.Instant {
                first + .microseconds((index + round) % 3 * 1_000_000 / (3 * rate))
            }
            async let silent = fixtures[0].p99(from: due(0), seconds: seconds, rate: rate)
            async let healthy = fixtures[1].p99(from: due(1), seconds: seconds, rate: rate)
            async let other = fixtures[2].p99(from: due(2), seconds: seconds, rate: rate)
            turns.append(try await (silent, healthy, other))
        }
        let silence = ProcessHarness.seconds(ContinuousClock.now - start)
        guard try await fixtures[0].isFCMSilent(), try await !fixtures[1].isFCMSilent() else {
            throw HarnessError("the silent provider was not silent, or the other one was")
        }
        let change = turns.map { ($0.silent * 2 / ($0.healthy + $0.other) - 1) * 100 }.median
        let noise = abs(turns.map { ($0.healthy - $0.other) * 2 / ($0.healthy + $0.other) * 100 }.median)
        var report = Report()
        let name = "bulkhead, \(rate) events/s"
        let p99 = "posted to push received, p99"
        report.add(name, "silence of the other lane's provider", silence, "s")
        report.add(name, p99 + ", no fault", (turns.map(\.healthy) + turns.map(\.other)).median, "ms")
        report.add(name, p99 + ", other lane silent", turns.map(\.silent).median, "ms")
        report.add(name, "noise between two without the fault", noise, "%")
        report.add(name, "change with the fault", change, "%")
        report.add(name, "change beyond the noise", change - noise, "%", atMost: changeLimit)
        return report
    }
}
