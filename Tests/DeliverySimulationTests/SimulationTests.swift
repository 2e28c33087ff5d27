import DeliverySimulation
import Testing

@Suite("The simulation of the delivery state machine")
struct SimulationTests {
    @Test("finds no violation in 10,000 seeds")
    func tenThousandSeeds() async {
        let summary = await SimulationCampaign.run(first: SimulationSeed(rawValue: 1), count: 10_000, jobs: 2)
        if let failure = summary.failure {
            let tail = failure.trace.suffix(30).joined(separator: "\n")
            Issue.record("switchboard-proof simulate --seed \(failure.seed) --trace\n\(tail)")
            return
        }
        let counts = summary.counts
        #expect(counts.seeds == 10_000)
        // A simulation in which nothing happens finds nothing.
        let happened = [
            counts.accepted, counts.replays, counts.pushes, counts.crashes, counts.drains, counts.failedCommits,
            counts.poisonedCommits, counts.clockJumps, counts.reads, counts.logouts, counts.registrations,
            counts.logins, counts.collapsed, counts.expired, counts.duplicates,
            counts.windows, counts.held, counts.released, counts.suppressed,
            counts.quieted, counts.summaries, counts.rejections,
        ]
        #expect(happened.allSatisfy { $0 >= 1_000 }, "\(counts)")
        let rare = [
            counts.merges, counts.taps, counts.receipts, counts.retries, counts.tidied, counts.presenceChanges,
            counts.doubts, counts.erasures, counts.stale, counts.deletedApps, counts.deletedBrands, counts.newApps,
            counts.newPushes, counts.batches, counts.endedBeside,
        ]
        #expect(rare.allSatisfy { $0 >= 300 }, "\(counts)")
    }

    @Test("does the same again from the same seed, traced or not")
    func replays() {
        for number in 1...50 {
            let seed = SimulationSeed(rawValue: UInt64(number))
            let first = Simulation.run(seed)
            let second = Simulation.run(seed, isTraced: true)
            #expect(first.digest == second.digest && first.counts == second.counts)
            #expect(first.trace.isEmpty && !second.trace.isEmpty)
        }
        let digests = (1...50).map { Simulation.run(SimulationSeed(rawValue: $0)).digest }
        #expect(Set(digests).count == 50)
    }

    @Test("replays a failing seed to the same failure")
    func replaysFailure() async throws {
        let first = SimulationSeed(rawValue: 1)
        let summary = await SimulationCampaign.run(first: first, count: 500, jobs: 2, sabotage: .hideBacklog)
        let failure = try #require(summary.failure)
        let again = Simulation.run(failure.seed, sabotage: .hideBacklog, isTraced: true)
        #expect(again.violation == failure.violation && again.digest == failure.digest)
        #expect(again.trace == failure.trace && again.trace.last?.hasPrefix("VIOLATION workIsPlanned") == true)
    }
}
