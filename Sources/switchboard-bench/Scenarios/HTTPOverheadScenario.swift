import Foundation
import Identity
import NIOCore
import ProcessHarness

/// What HTTP costs the gateway for one event beyond a bare Hummingbird route that reads the same body and answers 202.
///
/// HTTP's part is everything around the delivery core: routing, the service account's secret, limits, reading and checking
/// the event, the answer, metrics, logging. The core (queue, writer's turn, waking the caller) is no part of it: it is
/// measured alone, with as many callers and over the same store that keeps nothing, and taken off. Both servers get the same
/// bodies over the same number of keep-alive connections, in turns; CPU is the server's process's, user and system.
struct HTTPOverheadScenario {
    /// How many events a round of either has.
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
        let gateway = try await IntakeScenario.Server.start(
            database: nil,
            consumers: Self.consumers,
            asServiceAccount: true
        )
        let bare = try await IntakeScenario.Server.startBare(
            consumers: Self.consumers,
            authorization: gateway.load.authorization
        )
        var costs: (gateway: [Double], bare: [Double], differences: [Double]) = ([], [], [])
        // The first round pays for what is new, and is not counted.
        for round in 0...rounds {
            let own = try await gateway.measure(run: "h\(round)", events: events, group: group).cpu
            let other = try await bare.measure(run: "h\(round)", events: events, group: group).cpu
            guard round > 0 else { continue }
            costs.gateway.append(own)
            costs.bare.append(other)
            costs.differences.append(own - other)
        }
        let core = try await coreCost()
        var report = Report()
        let name = "HTTP of a single event, \(Self.connections) connections"
        report.add(name, "CPU an event, gateway without storing", costs.gateway.median, "us")
        report.add(name, "CPU an event, bare route that answers 202", costs.bare.median, "us")
        report.add(name, "CPU an event, delivery core alone", core, "us")
        report.add(name, "HTTP beyond the bare route", costs.differences.median - core, "us", atMost: limit)
        return report
    }

    private func coreCost() async throws -> Double {
        let process = try ChildProcess(
            "switchboard-bench",
            ["core", "--events", "\(events)", "--callers", "\(Self.connections)"]
        )
        _ = try await process.line("done")
        let costs = process.output.filter { $0.hasPrefix("cost ") }.compactMap { Double($0.dropFirst(5)) }
        process.signal(SIGKILL)
        return costs.median
    }
}
