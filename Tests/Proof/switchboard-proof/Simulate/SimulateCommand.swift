import ArgumentParser
import DeliverySimulation
import Foundation

/// Runs the delivery core's state machine through many random schedules, each from one seed.
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run the delivery state machine through random schedules and check its invariants after every step.",
        discussion: "Exits with 1 when one does not hold, and prints the seed, which replays exactly."
    )

    @Option(help: "The number of seeds.")
    var seeds = 10_000

    @Option(help: "The first seed.")
    var first: UInt64 = 1

    @Option(help: "Only this seed.")
    var seed: UInt64?

    @Flag(help: "With --seed: print each event of the run.")
    var trace = false

    @Option(help: "The number of seeds at a time.")
    var jobs = ProcessInfo.processInfo.activeProcessorCount

    @Option(help: "Inject a fault: \(Sabotage.allCases.map(\.rawValue).joined(separator: ", ")).")
    var sabotage: String?

    @Flag(help: "Print the summary as JSON.")
    var json = false

    private var chosenSabotage: Sabotage? { sabotage.flatMap(Sabotage.init(rawValue:)) }

    func validate() throws {
        guard seeds >= 0, jobs >= 1 else { throw ValidationError("--seeds must be 0 or more, --jobs 1 or more") }
        guard sabotage == nil || chosenSabotage != nil else {
            let names = Sabotage.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--sabotage must be one of \(names)")
        }
        guard !trace || seed != nil else { throw ValidationError("--trace needs --seed") }
    }

    func run() async throws {
        let start = ContinuousClock.now
        let summary: SimulationCampaign.Summary
        if let seed {
            summary = runOne(SimulationSeed(rawValue: seed))
        } else {
            summary = await SimulationCampaign.run(
                first: SimulationSeed(rawValue: first),
                count: seeds,
                jobs: jobs,
                sabotage: chosenSabotage,
                progress: SimulationProgress(total: seeds).report
            )
        }
        let table = SimulationTable(summary: summary, duration: ContinuousClock.now - start)
        print(json ? try table.json() : table.text)
        guard let failure = summary.failure else { return }
        if !trace { for line in failure.trace.suffix(40) { StandardError.write(line) } }
        StandardError.write("replay it with: switchboard-proof simulate --seed \(failure.seed) --trace")
        throw ExitCode(1)
    }

    private func runOne(_ seed: SimulationSeed) -> SimulationCampaign.Summary {
        let report = Simulation.run(seed, sabotage: chosenSabotage, isTraced: true)
        if trace { for line in report.trace { print(line) } }
        var summary = SimulationCampaign.Summary()
        summary.counts = report.counts
        if report.violation != nil { summary.failure = report }
        StandardError.write("digest \(String(report.digest, radix: 16))")
        return summary
    }
}
