import AsyncHTTPClient
import Foundation
import ProcessHarness

/// The sender alone: jobs in memory are rendered, submitted, answered and turned into outcomes; beside it `h2load` posts
/// the same body over one connection to the same server.
struct SenderScenario {
    /// How many notifications.
    var notifications: Int
    /// What must be reached: CPU a notification as a multiple of `h2load`'s a request in the same run.
    var ratioLimit: Double

    /// Runs both, one after the other, against one simulator.
    ///
    /// - Parameter http: A client.
    /// - Returns: The figures; without `h2load` only the sender's.
    /// - Throws: When a push is refused.
    func run(http: HTTPClient) async throws -> Report {
        let directory = try TemporaryDirectory()
        let simulator = try await SimulatorProcess.start(in: directory, quiet: true)
        do {
            let report = try await measure(simulator, directory, http)
            try await simulator.process.stop()
            return report
        } catch {
            _ = try? await simulator.process.stop()
            throw error
        }
    }

    private func measure(
        _ simulator: SimulatorProcess,
        _ directory: TemporaryDirectory,
        _ http: HTTPClient
    ) async throws -> Report {
        let sender = try ChildProcess(
            "switchboard-bench",
            ["sender", "--apns", simulator.apns, "--keys", simulator.keys, "--count", "\(notifications)"]
        )
        let line = "{" + (try await sender.line("{", within: .seconds(300)))
        try await sender.ended(within: .seconds(30))
        let result = try JSONDecoder().decode(SenderResult.self, from: Data(line.utf8))
        guard result.accepted == notifications else {
            throw HarnessError("only \(result.accepted) of \(notifications) pushes were accepted")
        }
        var report = Report()
        let name = "sender alone"
        let own = result.cpuSeconds * 1e6 / Double(notifications)
        report.add(name, "CPU a notification", own, "us")
        report.add(name, "notifications", Double(notifications) / result.wallSeconds, "pushes/s")
        report.add(name, "peak memory", Double(result.peakResidentBytes) / 1e6, "MB")
        let h2load = H2load(simulator: simulator, directory: directory, http: http)
        guard let reference = try await h2load.microseconds(requests: notifications, body: result.body) else {
            report.add(name, H2load.missing, 0, "")
            return report
        }
        report.add(name, "h2load CPU a request", reference, "us")
        report.add(name, "ratio to h2load", own / reference, "x", atMost: ratioLimit)
        return report
    }
}

/// What the sender process reports, as one line of JSON.
struct SenderResult: Codable {
    /// CPU time from the first wake to the last outcome, in seconds.
    var cpuSeconds: Double
    /// Wall time of the same, in seconds.
    var wallSeconds: Double
    /// How many pushes were accepted.
    var accepted: Int
    /// The highest resident memory, in bytes.
    var peakResidentBytes: Int
    /// One body as it was sent.
    var body: String
    /// How many pushes were accepted in each tenth of a second.
    var acceptedByTime: [Int]
}
