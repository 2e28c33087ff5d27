import Foundation
import NIOCore
import ProcessHarness

/// The HTTP cost of the gateway for one event, compared with a bare Hummingbird route that reads the same body and
/// responds 202.
///
/// HTTP's part is everything except the delivery core: the service account's secret, limits, parsing and validating the
/// event, the response with its body, metrics. The core (queue, writer's turn, waking the caller) is not part of it,
/// and its cost depends on how requests are batched. It is subtracted by adding it to the bare route too: a third
/// server passes the same event to a core before each response. Neither core has a store. All servers get the same
/// bodies over as many keep-alive connections, in turns; CPU is that of the server process, user and system.
struct HTTPOverheadScenario {
    /// The number of events in a round of each.
    var events: Int
    /// The number of rounds.
    var rounds = 7
    /// The limit in microseconds of CPU per event.
    var limit = 25.0

    private static let consumers = 10_000
    private static let connections = 64

    /// Runs the servers as separate processes.
    ///
    /// - Parameter group: The event loops of the load's connections.
    /// - Returns: The figures.
    /// - Throws: An error when a request is rejected.
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
        // The first round is warm-up and is not counted.
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
