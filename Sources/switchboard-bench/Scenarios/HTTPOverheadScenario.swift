import Foundation
import NIOCore
import ProcessHarness

/// What HTTP costs the gateway for one event beyond a bare Hummingbird route that reads the same body and answers 202.
///
/// HTTP's part is all but the delivery core: the service account's secret, limits, reading and checking the event, the
/// answer with its body, metrics. The core (queue, writer's turn, waking the caller) is no part of it, and its cost depends on
/// how requests come together; so it is taken off by giving it to the bare route too: a third server hands each time the
/// same event to a core before it answers. No store stands behind either core. All servers get the same bodies over as many
/// keep-alive connections, in turns; CPU is the server's process's, user and system.
struct HTTPOverheadScenario {
    /// How many events a round of each has.
    var events: Int
    /// How many rounds.
    var rounds = 7
    /// What must be reached, in microseconds of CPU an event.
    var limit = 25.0

    private static let consumers = 10_000
    private static let connections = 64

    /// Runs the servers as processes of their own.
    ///
    /// - Parameter group: Where the load's connections live.
    /// - Returns: The figures.
    /// - Throws: When a request is refused.
    func run(group: any EventLoopGroup) async throws -> Report {
        typealias Server = IntakeScenario.Server
        let gateway = try await Server.start(database: nil, consumers: Self.consumers, asServiceAccount: true)
        let authorization = gateway.load.authorization
        let servers = [
            gateway,
            try await Server.startBare(consumers: Self.consumers, authorization: authorization),
            try await Server.startBare(consumers: Self.consumers, authorization: authorization, withCore: true),
        ]
        var costs = [[Double]](repeating: [], count: servers.count)
        // The first round pays for what is new, and is not counted.
        for round in 0...rounds {
            for (place, server) in servers.enumerated() {
                let cost = try await server.measure(run: "h\(round)", events: events, group: group).cpu
                if round > 0 { costs[place].append(cost) }
            }
        }
        var report = Report()
        let name = "HTTP of a single event, \(Self.connections) connections"
        report.add(name, "CPU an event, gateway without storing", costs[0].median, "us")
        report.add(name, "CPU an event, bare route that answers 202", costs[1].median, "us")
        report.add(name, "CPU an event, bare route and delivery core", costs[2].median, "us")
        let differences = zip(costs[0], costs[2]).map { $0 - $1 }
        report.add(name, "HTTP beyond the bare route", differences.median, "us", atMost: limit)
        return report
    }
}
