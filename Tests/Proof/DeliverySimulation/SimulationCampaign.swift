/// Runs many seeds, and stops at the first that violates an invariant.
package enum SimulationCampaign {
    /// The result of a campaign.
    package struct Summary: Sendable {
        /// The sums of the counts of all seeds.
        package var counts = SimulationCounts()
        /// The lowest seed that failed, traced; nil when none did.
        package var failure: SimulationReport?

        /// Creates the summary of no seeds.
        package init() {}
    }

    /// Runs `count` seeds from `first` on, `jobs` at a time; `progress` is called now and then with the number of
    /// finished seeds.
    package static func run(
        first: SimulationSeed,
        count: Int,
        jobs: Int,
        sabotage: Sabotage? = nil,
        progress: @escaping @Sendable (Int) -> Void = { _ in }
    ) async -> Summary {
        let queue = SeedQueue(count: count)
        return await withTaskGroup(of: Summary.self) { group in
            for _ in 0..<max(jobs, 1) {
                group.addTask {
                    var summary = Summary()
                    while summary.failure == nil, !Task.isCancelled, let places = queue.next() {
                        for place in places where summary.failure == nil {
                            run(SimulationSeed(rawValue: first.rawValue &+ UInt64(place)), sabotage, into: &summary)
                        }
                        progress(queue.finished(places.count, hasFailed: summary.failure != nil))
                    }
                    return summary
                }
            }
            var all = Summary()
            for await summary in group {
                all.counts.add(summary.counts)
                guard let failure = summary.failure else { continue }
                if failure.seed.rawValue < all.failure?.seed.rawValue ?? .max { all.failure = failure }
            }
            return all
        }
    }

    private static func run(_ seed: SimulationSeed, _ sabotage: Sabotage?, into summary: inout Summary) {
        let report = Simulation.run(seed, sabotage: sabotage)
        summary.counts.add(report.counts)
        if report.violation != nil { summary.failure = Simulation.run(seed, sabotage: sabotage, isTraced: true) }
    }
}
