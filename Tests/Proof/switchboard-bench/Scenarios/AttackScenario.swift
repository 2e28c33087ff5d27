import AsyncHTTPClient
import Foundation
import NIOCore
import ProcessHarness

/// The latency of a 202 of a well-behaved brand while one address attacks: it holds its full share of connections and
/// of request slots with unfinished bodies, sends bodies full of combining marks, and requests link paths that cause
/// backtracking.
///
/// Idle and attacked rounds alternate, so that other load of the host affects both equally.
struct AttackScenario {
    /// The number of events posted without the attack, and again with it.
    var events: Int
    /// Events per second: a modest rate.
    var rate = 250.0
    /// The limit: the 99th percentile under attack as a multiple of that without.
    var ratioLimit = 3.0

    private static let consumers = 500
    private static let connections = 16
    private static let rounds = 5

    /// Runs it on a fresh installation.
    ///
    /// - Parameters:
    ///   - group: The event loops of the load's connections.
    ///   - http: The HTTP client of unmeasured requests.
    ///   - say: Prints the progress.
    /// - Returns: The figures.
    /// - Throws: An error when a valid request is rejected, or the attacker does not attack.
    func run(group: any EventLoopGroup, http: HTTPClient, say: (String) -> Void) async throws -> Report {
        try await Installation.use(quiet: true) { installation in
            try await measure(installation, group: group, http: http, say: say)
        }
    }

    private func measure(
        _ installation: Installation,
        group: any EventLoopGroup,
        http: HTTPClient,
        say: (String) -> Void
    ) async throws -> Report {
        let authorization = try await installation.configure(http: http, consumers: Self.consumers)
        try await addLinks(installation, http)
        let gateway = installation.gateway
        let load = EventLoad(
            port: gateway.port,
            authorization: authorization,
            connections: Self.connections,
            consumers: Self.consumers
        )
        _ = try await load.post(run: "warm", events: 500, rate: rate, group: group)
        let part = max(events / Self.rounds, 100)
        var (idle, attacked): ([Double], [Double]) = ([], [])
        var (idleCPU, attackedCPU) = (0.0, 0.0)
        for round in 1...Self.rounds {
            say("attack: round \(round) of \(Self.rounds), idle")
            var before = try ProcessUsage(pid: gateway.process.id).cpuSeconds
            idle += try await load.post(run: "idle-\(round)", events: part, rate: rate, group: group)
            idleCPU += try ProcessUsage(pid: gateway.process.id).cpuSeconds - before
            say("attack: round \(round) of \(Self.rounds), attacked")
            let attacker = try ChildProcess("switchboard-bench", ["attacker", "--port", String(gateway.port)])
            _ = try await attacker.line("attacking")
            before = try ProcessUsage(pid: gateway.process.id).cpuSeconds
            attacked += try await load.post(run: "attacked-\(round)", events: part, rate: rate, group: group)
            attackedCPU += try ProcessUsage(pid: gateway.process.id).cpuSeconds - before
            let connections = try await installation.metric("switchboard_http_open_connections", http)
            guard connections >= Double(Attacker.silentConnections) else {
                throw HarnessError("the attacker did not hold its connections")
            }
            _ = try await attacker.stop(within: .seconds(30))
        }
        var report = Report()
        let name = "attack by one address, \(Int(rate)) events/s of another"
        report.add(name, "202 p50, idle", idle.percentile(0.5) * 1e3, "ms")
        report.add(name, "202 p99, idle", idle.percentile(0.99) * 1e3, "ms")
        report.add(name, "202 p50, attacked", attacked.percentile(0.5) * 1e3, "ms")
        report.add(name, "202 p99, attacked", attacked.percentile(0.99) * 1e3, "ms")
        report.add(name, "gateway CPU an event, idle", idleCPU / Double(idle.count) * 1e6, "us")
        report.add(name, "gateway CPU an event, attacked", attackedCPU / Double(attacked.count) * 1e6, "us")
        let ratio = attacked.percentile(0.99) / idle.percentile(0.99)
        report.add(name, "p99 attacked against idle", ratio, "x", atMost: ratioLimit)
        return report
    }

    /// Adds a link host with the most expensive patterns to the brand.
    private func addLinks(_ installation: Installation, _ http: HTTPClient) async throws {
        let brand = "/v1/brands/\(Installation.brand)"
        try await installation.call(http, "PATCH", brand, #"{"settings":{"linkHosts":["\#(Attacker.host)"]}}"#)
        let paths = Attacker.patterns.map { "\"\($0)\"" }.joined(separator: ",")
        let links =
            #"{"host":"\#(Attacker.host)","paths":[\#(paths)],"ios":{"appIds":["TEAM123456.com.example.app"]},"#
            + #""fallback":{"web":"https://shop.example/"}}"#
        try await installation.call(http, "PUT", brand + "/apps/links", #"{"platform":"ios","links":\#(links)}"#)
    }
}
