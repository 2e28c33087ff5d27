import AsyncHTTPClient
import NIOCore
import ProcessHarness

/// The CPU of an adaptor's request, until its response, as a multiple of the gateway's own route that does the same with
/// a body of the same length.
///
/// The routes take turns on one gateway whose lanes are paused, so that no push is sent.
struct AdaptorsScenario {
    /// The number of requests of a turn.
    var requests: Int
    /// The number of gateways, each on a fresh installation: the median of one differs by up to 9 % from another's, however
    /// many turns it has.
    var gateways = 10
    /// The number of turns of each route on a gateway: even, so that the adaptor's come as often before the other's as
    /// after them.
    ///
    /// Many short ones: the same route measured twice differed by up to 12 % in 9 turns of 3,000 requests, by 1 % in 40 of
    /// 640. And all pairs in each round, so that a slow minute of the machine is not one pair's.
    var rounds = 16
    /// The limit of the ratio.
    var limit = 1.15

    private static let consumers = 5000
    private static let connections = 64

    /// The costs of a pair's routes: for each turn the microseconds for a request.
    private struct Costs {
        let pair: AdaptorPair
        var adaptor: [Double] = []
        var native: [Double] = []
    }

    /// Runs it on fresh installations.
    ///
    /// - Parameters:
    ///   - group: The event loops of the load's connections.
    ///   - http: The HTTP client of unmeasured requests.
    ///   - say: Prints the progress.
    /// - Returns: The figures.
    /// - Throws: An error when a request is refused, or became no event.
    func run(group: any EventLoopGroup, http: HTTPClient, say: (String) -> Void) async throws -> Report {
        var all: [Costs] = []
        for number in 1...gateways {
            say("adaptors: gateway \(number) of \(gateways)")
            let costs = try await Installation.use(quiet: true) { installation in
                try await measure(installation, group: group, http: http)
            }
            if all.isEmpty {
                all = costs
            } else {
                for (place, costs) in costs.enumerated() {
                    all[place].adaptor += costs.adaptor
                    all[place].native += costs.native
                }
            }
        }
        var report = Report()
        for costs in all { add(costs, to: &report) }
        return report
    }

    private func measure(
        _ installation: Installation,
        group: any EventLoopGroup,
        http: HTTPClient
    ) async throws -> [Costs] {
        let all = try await AdaptorPairs(installation, http, consumers: Self.consumers)
        let load = try await PreparedLoad(
            port: installation.gateway.port,
            connections: Self.connections,
            group: group
        )
        let pairs = all.messages + [all.consent]
        // Whole rows of connections, so that each customer's consents come over one.
        let requests = (requests + Self.connections - 1) / Self.connections * Self.connections
        var measured = pairs.map { Costs(pair: $0) }
        for pair in pairs {
            for number in [0, 999_999] {
                let lengths = [pair.adaptor, pair.native].map { $0.request(number).body.count }
                guard lengths[0] == lengths[1] else { throw HarnessError("\(pair.name): bodies of \(lengths) bytes") }
            }
        }
        var (number, events) = (0, 0)
        // The first round is warm-up and is not counted. The order alternates, because the queue becomes longer, and a turn
        // may pay for the checkpoints of the one before it.
        for round in 0...rounds {
            for (place, pair) in pairs.enumerated() {
                for isAdaptor in round % 2 == 0 ? [true, false] : [false, true] {
                    let route = isAdaptor ? pair.adaptor : pair.native
                    let made = (number..<number + requests).map(route.request)
                    number += requests
                    let before = try ProcessUsage(pid: installation.gateway.process.id).cpuSeconds
                    try await load.post(made, to: route)
                    let spent = try ProcessUsage(pid: installation.gateway.process.id).cpuSeconds - before
                    guard round > 0 else { continue }
                    let turns = isAdaptor ? \Costs.adaptor : \Costs.native
                    measured[place][keyPath: turns].append(spent * 1e6 / Double(requests))
                }
                if pair.makesEvents { events += 2 * requests }
            }
            try await check(events, installation, http)
        }
        await load.close()
        return measured
    }

    private func add(_ costs: Costs, to report: inout Report) {
        let scenario = "adaptors, \(Self.connections) connections, lanes paused"
        let name = costs.pair.name
        report.add(scenario, "\(name), CPU a request", costs.adaptor.median, "us")
        report.add(scenario, "\(name), CPU of the gateway's own route", costs.native.median, "us")
        let ratios = zip(costs.adaptor, costs.native).map { $0 / $1 }
        report.add(scenario, "\(name), ratio", ratios.median, "x", atMost: limit)
        report.add(scenario, "\(name), ratio, lowest of \(ratios.count)", ratios.percentile(0), "x")
        report.add(scenario, "\(name), ratio, highest of \(ratios.count)", ratios.percentile(1), "x")
    }

    /// Checks that each request became an event: the status of gorush's responses is always 200.
    private func check(_ events: Int, _ installation: Installation, _ http: HTTPClient) async throws {
        let deadline = ContinuousClock.now + .seconds(10)
        while true {
            let name = #"switchboard_intake_events_total{result="accepted"}"#
            let accepted = Int(try await installation.metric(name, http))
            if accepted == events { return }
            guard ContinuousClock.now < deadline else {
                throw HarnessError("\(accepted) events were accepted, and not \(events)")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
