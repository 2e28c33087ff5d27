import AsyncHTTPClient
import NIOCore
import ProcessHarness

/// The cost of a client of the live tail: events through the whole path, in pairs of rounds without one and with
/// one that takes everything.
struct TailScenario {
    /// The load of a round.
    var load: IngestScenario
    /// The number of pairs.
    var pairs: Int
    /// The limit: gateway CPU of a push with the tail as a multiple of that without.
    var ratioLimit = 1.05
    /// The limit: the rate of the sender with the tail as a share of that without.
    var rateLimit = 0.95
    /// The limit: the seconds from the last outcome until the tail, which looks twice a second for more, has shown it.
    var behindLimit = 1.0

    /// A round.
    private struct Round {
        /// Gateway CPU of a push in microseconds, including the tail's until it has shown all.
        var microseconds: Double
        /// Pushes that the provider accepted per second.
        var perSecond: Double
        /// The number of deliveries that the tail has shown.
        var shown = 0
        /// The seconds from the last outcome until the tail has shown all.
        var behind = 0.0
    }

    /// Runs it on a fresh installation.
    ///
    /// - Parameters:
    ///   - group: The event loops of the load's connections.
    ///   - http: An HTTP client.
    /// - Returns: The figures.
    /// - Throws: An error when a request is rejected or a push is missing.
    func run(group: any EventLoopGroup, http: HTTPClient) async throws -> Report {
        try await Installation.use(quiet: true) { try await measure($0, group, http) }
    }

    private func measure(
        _ installation: Installation,
        _ group: any EventLoopGroup,
        _ http: HTTPClient
    ) async throws -> Report {
        let authorization = try await installation.configure(http: http, consumers: load.consumers)
        var rounds = 0
        func round(_ tail: TailClient? = nil) async throws -> Round {
            rounds += 1
            let before = try ProcessUsage(pid: installation.gateway.process.id)
            let start = ContinuousClock.now
            try await load.post(run: "round\(rounds)", events: load.events, installation, authorization, group)
            try await installation.waitForPushes(rounds * load.events, http)
            let delivered = ContinuousClock.now
            try await installation.waitForOutcomes(http)
            let recorded = ContinuousClock.now
            try await tail?.wait(for: load.events)
            let behind = seconds(ContinuousClock.now - recorded)
            let after = try await usageAtRest(of: installation)
            let count = Double(load.events)
            return Round(
                microseconds: (after.cpuSeconds - before.cpuSeconds) * 1e6 / count,
                perSecond: count / seconds(delivered - start),
                shown: tail?.deliveries ?? 0,
                behind: behind
            )
        }
        func roundWithTail() async throws -> Round {
            try await TailClient.use(installation, http: http, authorization: authorization) { try await round($0) }
        }
        // The first pushes include dialling and new pages and statements.
        _ = try await roundWithTail()
        var (without, with): ([Round], [Round]) = ([], [])
        for pair in 0..<pairs {
            // The store grows: each is as often the first.
            if pair % 2 == 0 { without.append(try await round()) }
            with.append(try await roundWithTail())
            if pair % 2 == 1 { without.append(try await round()) }
        }
        var report = Report()
        let name = "live tail, \(load.name)"
        report.add(name, "gateway CPU a push, without the tail", without.map(\.microseconds).median, "us")
        report.add(name, "gateway CPU a push, with it", with.map(\.microseconds).median, "us")
        let ratios = zip(with, without).map { $0.microseconds / $1.microseconds }
        report.add(name, "ratio of CPU, median of \(pairs) pairs", ratios.median, "x", atMost: ratioLimit)
        report.add(name, "pushes without the tail", without.map(\.perSecond).median, "pushes/s")
        report.add(name, "pushes with it", with.map(\.perSecond).median, "pushes/s")
        let rates = zip(with, without).map { $0.perSecond / $1.perSecond }
        report.add(name, "ratio of the rates, median of \(pairs) pairs", rates.median, "x", atLeast: rateLimit)
        let shown = with.reduce(0) { $0 + $1.shown }
        let share = Double(shown) / Double(pairs * load.events)
        guard share <= 1 else { throw HarnessError("the tail has shown \(shown) deliveries, some of them twice") }
        report.add(name, "share of the deliveries that it has shown", share, "", atLeast: 1)
        report.add(name, "last outcome to shown, median", with.map(\.behind).median, "s", atMost: behindLimit)
        return report
    }

    /// Waits until the gateway has done what a round has left to do, checkpoints above all, so that each round pays for
    /// its own: one with the tail lasts longer, and would pay also for what the one before it left.
    private func usageAtRest(of installation: Installation) async throws -> ProcessUsage {
        var last = try ProcessUsage(pid: installation.gateway.process.id)
        for _ in 0..<50 {
            try await Task.sleep(for: .milliseconds(200))
            let usage = try ProcessUsage(pid: installation.gateway.process.id)
            if usage.cpuSeconds - last.cpuSeconds < 0.02 { return usage }
            last = usage
        }
        throw HarnessError("the gateway is not at rest ten seconds after a round")
    }
}
