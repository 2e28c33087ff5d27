import ArgumentParser
import AsyncHTTPClient
import Foundation
import GatewayStorage
import NIOCore
import NIOPosix
import ProcessHarness

/// Runs the scenarios and prints the figures.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the benchmark on this host: gateway, simulator and load in separate processes."
    )

    /// The scenarios by name.
    enum Scenario: String, CaseIterable, ExpressibleByArgument {
        case sender, parse, identity, commit, intake, batch, single, latency, memory, backlog, bulkhead, deliveries
        case windows, attack, requeue, campaign, population, outage, adaptors, inbox, unreachable, tail, metrics
        case firstPaint = "first-paint"
        case busyDevice = "busy-device"
        case largeChanges = "large-changes"
        case deviceImport = "device-import"
        case massInvalidation = "mass-invalidation"
        case httpOverhead = "http-overhead"
        case senderLatency = "sender-latency"
        case commitLatency = "commit-latency"
        case senderDistance = "sender-distance"
    }

    @Option(help: "Only these scenarios; may be repeated.")
    var scenario: [Scenario] = []
    @Option(help: "The factor for the amount of load, 0.01 to 100.")
    var scale: Double = 1
    @Flag(help: "Print the figures as JSON.")
    var json = false
    @Flag(help: "Exit with 1 when a figure misses its limit.")
    var strict = false

    func validate() throws {
        guard scale >= 0.01, scale <= 100 else { throw ValidationError("--scale must be 0.01 to 100") }
    }

    func run() async throws {
        let ofStore: Set<Scenario> = [.deliveries, .identity, .inbox, .requeue, .unreachable]
        // These scenarios need no other process.
        for program in ofStore.isSuperset(of: scenario) && !scenario.isEmpty ? [] : ["switchboard", "push-simulator"] {
            let path = ChildProcess.binaries.appending(path: program).path()
            guard FileManager.default.isExecutableFile(atPath: path) else {
                throw HarnessError("\(path) is missing: build all programs first (Deploy/release.sh)")
            }
        }
        #if DEBUG
        say("this is a debug build: its figures are meaningless; build with Deploy/release.sh")
        #endif
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let http = HTTPClient(eventLoopGroup: group)
        var report = Report()
        for scenario in scenario.isEmpty ? Scenario.allCases : scenario {
            say("\(scenario.rawValue) ...")
            report.add(contentsOf: try await run(scenario, group: group, http: http))
        }
        print(json ? report.json : report.table)
        try await http.shutdown()
        try await group.shutdownGracefully()
        if strict, !report.isReached { throw ExitCode(1) }
    }

    private func run(
        _ scenario: Scenario,
        group: MultiThreadedEventLoopGroup,
        http: HTTPClient
    ) async throws -> Report {
        func scaled(_ count: Int) -> Int { max(Int(Double(count) * scale), 1000) }
        switch scenario {
        case .sender:
            return try await SenderScenario(
                notifications: scaled(200_000),
                ratioLimit: 2.5,
                allocationLimit: 8
            ).run(http: http)
        case .senderLatency:
            return try await SenderLatencyScenario(notifications: scaled(100_000), ratioLimit: 3).run(http: http)
        case .senderDistance:
            return try await DistanceScenario(notifications: max(scaled(80_000), 60_000)).run(http: http)
        case .requeue:
            return try await RequeueScenario(rounds: max(Int(21 * scale), 3)).run()
        case .campaign:
            say("campaign: the machine's batch rate")
            let batch = try await Self.batch(events: scaled(100_000)).run(group: group, http: http)
            let rate = batch.value(of: IngestScenario.deliveredFigure) ?? 0
            var campaign = CampaignScenario(rounds: max(Int(10 * scale), 3), pending: scaled(1_000_000))
            campaign.limitPace(batchRate: rate)
            return try await campaign.run(http: http, say: say)
        case .busyDevice:
            return try await BusyDeviceScenario(rounds: max(Int(10 * scale), 3)).run(http: http)
        case .commit:
            return try await CommitScenario(turns: max(Int(200 * scale), 10)).run()
        case .intake:
            return try await IntakeScenario(events: scaled(20_000)).run(group: group)
        case .parse:
            return try ParseScenario(rounds: max(Int(21 * scale), 3)).run()
        case .identity:
            return try await IdentityScenario(rounds: max(Int(21 * scale), 3)).run()
        case .httpOverhead:
            return try await HTTPOverheadScenario(events: scaled(30_000)).run(group: group)
        case .backlog:
            return try await BacklogScenario(pending: scaled(1_000_000)).run(http: http)
        case .deliveries:
            return try await DeliveriesScenario(finished: scaled(1_000_000), ratioLimit: 20).run()
        case .commitLatency:
            return try await CommitLatencyScenario(probeEvents: scaled(4000), seconds: max(scale, 1))
                .run(group: group, http: http)
        case .batch:
            return try await Self.batch(events: scaled(200_000)).run(group: group, http: http)
        case .single:
            return try await IngestScenario(
                name: "single events, 64 connections",
                eventsPerRequest: 1,
                connections: 64,
                events: scaled(100_000),
                consumers: 10_000,
                cpuLimit: 120
            ).run(group: group, http: http)
        case .latency:
            return try await LatencyScenario().run(http: http)
        case .bulkhead:
            return try await BulkheadScenario(rounds: max(Int(21 * scale), 1), changeLimit: 10).run(http: http)
        case .windows:
            return try await WindowsScenario(idle: max(Int(15_000 * scale), 600)).run(group: group, http: http)
        case .attack:
            return try await AttackScenario(events: scaled(10_000)).run(group: group, http: http, say: say)
        case .largeChanges:
            return try await LargeChangesScenario(devices: scaled(200_000), events: scaled(10_000))
                .run(group: group, http: http, say: say)
        case .deviceImport:
            return try await ImportScenario(devices: scaled(1_000_000), events: scaled(10_000))
                .run(group: group, http: http, say: say)
        case .massInvalidation:
            let seconds = min(max(60 * scale, 15), 60)
            return try await MassInvalidationScenario(devices: scaled(10_000), seconds: seconds).run(http: http)
        case .population:
            return try await PopulationScenario(
                consumers: scaled(50_000),
                events: scaled(3_000_000),
                slice: scaled(300_000)
            ).run(group: group, http: http, say: say)
        case .outage:
            return try await OutageScenario(seconds: max(Int(180 * scale), 20)).run(group: group, http: http, say: say)
        case .adaptors:
            return try await AdaptorsScenario(requests: scaled(640)).run(group: group, http: http, say: say)
        case .inbox:
            return try await InboxScenario(items: min(scaled(10_000), InboxItem.perConsumer)).run()
        case .unreachable:
            return try await UnreachableScenario(consumers: max(scaled(1_000_000), 2000)).run()
        case .tail:
            return try await TailScenario(load: Self.batch(events: scaled(40_000)), pairs: 10)
                .run(group: group, http: http)
        case .metrics:
            return try await MetricsScenario(lanes: max(Int(1000 * scale), 10)).run(http: http)
        case .firstPaint:
            return try await FirstPaintScenario(loads: max(Int(21 * scale), 7)).run(http: http)
        case .memory:
            return try await MemoryScenario(pending: scaled(200_000)).run(http: http)
        }
    }

    private func say(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }

    private static func batch(events: Int) -> IngestScenario {
        IngestScenario(
            name: "batch ingest, 500 events a request",
            eventsPerRequest: 500,
            connections: 4,
            events: events,
            consumers: 10_000,
            cpuLimit: 40
        )
    }
}
