import Foundation
import Identity
import NIOCore
import ProcessHarness

/// Single events to a gateway whose lane is paused, compared with the same server when it responds 202 without storing.
struct IntakeScenario {
    /// The number of events in a round of each.
    var events: Int
    /// The number of rounds; the two alternate.
    var rounds = 5
    /// The limit: the other's events per second as a multiple of the gateway's.
    var ratioLimit = 2.0

    private static let consumers = 10_000

    /// Runs both as separate processes.
    ///
    /// - Parameter group: The event loops of the load's connections.
    /// - Returns: The figures.
    /// - Throws: An error when a request is rejected.
    func run(group: any EventLoopGroup) async throws -> Report {
        let directory = try TemporaryDirectory()
        let storing = try await Server.start(database: directory.path("switchboard.db"), consumers: Self.consumers)
        let other = try await Server.start(database: nil, consumers: Self.consumers)
        var rates: (storing: [Double], other: [Double]) = ([], [])
        var costs: (storing: [Double], other: [Double]) = ([], [])
        // The first round is warm-up and is not counted.
        for round in 0...rounds {
            let own = try await storing.measure(run: "r\(round)", events: events, group: group)
            let bare = try await other.measure(run: "r\(round)", events: events, group: group)
            guard round > 0 else { continue }
            rates.storing.append(own.rate)
            rates.other.append(bare.rate)
            costs.storing.append(own.cpu)
            costs.other.append(bare.cpu)
        }
        var report = Report()
        let name = "single events, 64 connections, lane paused"
        let (own, bare) = (rates.storing.percentile(0.5), rates.other.percentile(0.5))
        report.add(name, "events accepted", own, "events/s")
        report.add(name, "answered without storing", bare, "events/s")
        report.add(name, "ratio", bare / own, "x", atMost: ratioLimit)
        report.add(name, "CPU an event", costs.storing.percentile(0.5), "us")
        report.add(name, "CPU an event without storing", costs.other.percentile(0.5), "us")
        return report
    }

    /// A process of ``IntakeCommand`` and its load.
    struct Server {
        var process: ChildProcess
        var load: EventLoad
        /// The directory of a server that stores no event.
        var directory: TemporaryDirectory?

        /// Starts the gateway.
        ///
        /// - Parameters:
        ///   - database: The database file; nil stores no event.
        ///   - consumers: The number of consumers, which take turns.
        ///   - asServiceAccount: Whether the load authenticates with `Basic`, as back-ends do, and not with the admin
        ///     token.
        /// - Returns: The server, ready.
        /// - Throws: An error when it does not start.
        static func start(database: String?, consumers: Int, asServiceAccount: Bool = false) async throws -> Server {
            let token = AdminToken.makeText()
            let directory = try database == nil ? TemporaryDirectory() : nil
            let path = database ?? directory?.path("switchboard.db") ?? ""
            let process = try ChildProcess(
                "switchboard-bench",
                ["intake", "--admin-token=\(token)", "--consumers", "\(consumers)", "--database", path]
                    + (database == nil ? ["--discard"] : [])
            )
            let account = asServiceAccount ? try await process.line("account ") : nil
            var started = try await server(
                process,
                authorization: account.map { "Basic " + Data($0.utf8).base64EncodedString() } ?? "Bearer \(token)",
                consumers: consumers
            )
            started.directory = directory
            return started
        }

        /// Starts ``BareRouteCommand``.
        ///
        /// - Parameters:
        ///   - consumers: The number of consumers, which take turns.
        ///   - authorization: A header that it ignores, so that all get the same requests.
        ///   - withCore: Whether it passes an event to a delivery core before it responds.
        /// - Returns: The server, ready.
        /// - Throws: An error when it does not start.
        static func startBare(
            consumers: Int,
            authorization: String,
            withCore: Bool = false
        ) async throws -> Server {
            let process = try ChildProcess("switchboard-bench", ["bare-route"] + (withCore ? ["--core"] : []))
            return try await server(process, authorization: authorization, consumers: consumers)
        }

        private static func server(
            _ process: ChildProcess,
            authorization: String,
            consumers: Int
        ) async throws -> Server {
            let port = try await process.line("listening on ")
            let load = EventLoad(port: Int(port) ?? 0, authorization: authorization, consumers: consumers)
            return Server(process: process, load: load)
        }

        func measure(run: String, events: Int, group: any EventLoopGroup) async throws -> (rate: Double, cpu: Double) {
            let before = try ProcessUsage(pid: process.id).cpuSeconds
            let start = ContinuousClock.now
            _ = try await load.post(run: run, events: events, group: group)
            let wall = seconds(ContinuousClock.now - start)
            let cpu = try ProcessUsage(pid: process.id).cpuSeconds - before
            return (Double(events) / wall, cpu * 1e6 / Double(events))
        }
    }
}
