import Foundation
import GatewayModel
import GatewayStorage
import ProcessHarness

/// Rows that are requeued at once, as after a provider error: how long this blocks the writer.
struct RequeueScenario {
    /// The number of rounds of each.
    var rounds: Int

    /// Runs it on a new store.
    ///
    /// - Returns: The figures.
    /// - Throws: `StorageError`, or ``HarnessError`` when a claim does not return the waiting rows.
    func run() async throws -> Report {
        var report = Report()
        let many = try await measure(devices: 250, rows: 8, waiting: 0)
        report.add("requeue", "8 rows of each of 250 devices", many * 1e3, "ms", atMost: 20)
        let one = try await measure(devices: 1, rows: 2000, waiting: 10_000)
        report.add("requeue", "2,000 rows of one device, 10,000 behind them", one * 1e3, "ms", atMost: 20)
        return report
    }

    /// Returns the median seconds of a requeue.
    private func measure(devices: Int, rows: Int, waiting: Int) async throws -> Double {
        let directory = try TemporaryDirectory()
        let fixture = try StoreFixture(path: directory.path("switchboard.sqlite"), consumers: devices)
        try await fixture.populate()
        try await fixture.begin()
        for first in stride(from: 0, to: devices * rows + waiting, by: 500) {
            _ = try await fixture.store.commit(fixture.turn(run: "requeue", first: first, count: 500, isOwned: false))
        }
        var times: [Double] = []
        for _ in 0..<rounds {
            var turn = WriterTurn(now: fixture.now, incarnation: fixture.incarnation)
            turn.claims = [ClaimRequest(lane: fixture.lane, limit: devices * rows)]
            let claimed = try await fixture.store.commit(turn).claims.flatMap(\.rows)
            guard claimed.count == devices * rows else { throw HarnessError("a claim brought \(claimed.count) rows") }
            turn = WriterTurn(now: fixture.now, incarnation: fixture.incarnation)
            turn.outcomes = claimed.map { row in
                OutcomeRecord(
                    delivery: row.id,
                    registration: row.registration,
                    response: nil,
                    disposition: .release(due: turn.now, isAsked: false),
                    token: .none
                )
            }
            let start = ContinuousClock.now
            _ = try await fixture.store.commit(turn)
            times.append(seconds(ContinuousClock.now - start))
        }
        await fixture.store.close()
        return times.median
    }
}
