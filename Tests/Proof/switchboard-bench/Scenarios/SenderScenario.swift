import AsyncHTTPClient
import Foundation
import ProcessHarness

/// The sender alone: jobs in memory are rendered and submitted, and their responses become outcomes.
///
/// For comparison,
/// `h2load` posts the same body with the same headers over one connection to the same server.
struct SenderScenario {
    /// The number of notifications.
    var notifications: Int
    /// The limit: CPU per notification as a multiple of `h2load`'s per request in the same run.
    var ratioLimit: Double
    /// The limit: allocations of Swift code per notification.
    var allocationLimit: Double

    private static let rounds = 3

    /// Runs all, one after the other, against one simulator.
    ///
    /// - Parameter http: An HTTP client.
    /// - Returns: The figures; without `h2load` only the sender's.
    /// - Throws: An error when a push is rejected.
    func run(http: HTTPClient) async throws -> Report {
        try await SimulatorProcess.use { try await measure($0, $1, http) }
    }

    private func measure(
        _ simulator: SimulatorProcess,
        _ directory: TemporaryDirectory,
        _ http: HTTPClient
    ) async throws -> Report {
        let h2load = H2load(simulator: simulator, directory: directory, http: http)
        var senders: [SenderResult] = []
        var references: [H2load.Cost] = []
        // In turns, because other processes use the host too.
        for _ in 0..<Self.rounds {
            let sender = try await SenderResult.run(simulator, count: notifications)
            senders.append(sender)
            let cost = try await h2load.cost(requests: notifications, body: sender.body, headers: sender.headers)
            if let cost { references.append(cost) }
        }
        func cost(_ result: SenderResult) -> Double { result.cpuSeconds * 1e6 / Double(notifications) }
        var report = Report()
        let name = "sender alone"
        report.add(name, "CPU a notification", senders.map(cost).median, "us")
        let rates = senders.map { Double(notifications) / $0.wallSeconds }
        report.add(name, "notifications", rates.median, "pushes/s")
        report.add(name, "peak memory", Double(senders.map(\.peakResidentBytes).max() ?? 0) / 1e6, "MB")
        if references.isEmpty {
            report.add(name, H2load.missing, 0, "")
        } else {
            report.add(name, "h2load CPU a request", references.map(\.microseconds).median, "us")
            report.add(name, "h2load requests", references.map(\.perSecond).median, "requests/s")
            let ratios = zip(senders, references).map { cost($0) / $1.microseconds }
            report.add(name, "ratio to h2load", ratios.median, "x", atMost: ratioLimit)
        }
        if let count = try await AllocationCount.run(simulator, directory) {
            report.add(name, "allocations a notification, Swift", count.swift, "", atMost: allocationLimit)
            report.add(name, "allocations a notification, nghttp2 and OpenSSL", count.libraries, "")
        } else {
            report.add(name, AllocationCount.missing, 0, "")
        }
        return report
    }
}
