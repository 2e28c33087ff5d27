import AsyncHTTPClient
import Foundation
import NIOCore
import ProcessHarness

/// The sender alone to a distant provider: windows of 65,535 bytes and the round trip are the bottleneck, not the
/// processor.
struct DistanceScenario {
    /// The number of notifications.
    var notifications: Int
    /// The round trip, in milliseconds.
    var roundTrip = 80
    /// The length of a body, in bytes.
    var bodyBytes = 1024
    /// The required pushes per second.
    var rate = 8000.0
    /// The limit: seconds from a cold pool until that rate is held.
    var limit = 3.0

    /// Runs it against a separate simulator.
    ///
    /// - Parameter http: An HTTP client for the simulator's counts.
    /// - Returns: The figures.
    /// - Throws: An error when a push is rejected.
    func run(http: HTTPClient) async throws -> Report {
        try await SimulatorProcess.use(options: ["--round-trip-ms", "\(roundTrip)"]) { simulator, _ in
            try await measure(simulator, http)
        }
    }

    private func measure(_ simulator: SimulatorProcess, _ http: HTTPClient) async throws -> Report {
        let result = try await SenderResult.run(simulator, count: notifications, bodyBytes: bodyBytes)
        guard result.body.utf8.count == bodyBytes else {
            throw HarnessError("the bodies have \(result.body.utf8.count) bytes")
        }
        let connections = try await connections(simulator, http)

        var report = Report()
        let name = "sender, \(roundTrip) ms away, 1 connection window each of 65,535 bytes"
        let accepted = result.acceptedByTime
        // The last tenths have less to send.
        let held = accepted.dropFirst(Int(limit * 10)).dropLast(3)
        let steady = Double(held.reduce(0, +)) / Double(held.count) * 10
        report.add(name, "notifications from then on", steady, "pushes/s", atLeast: rate)
        let start = accepted.indices.first { accepted.dropFirst($0).prefix(10).reduce(0, +) >= Int(rate) }
        report.add(
            name,
            "cold start to \(Int(rate)) pushes/s",
            start.map { Double($0) / 10 } ?? .infinity,
            "s",
            atMost: limit
        )
        report.add(name, "processor of the sender", result.cpuSeconds / result.wallSeconds * 100, "%")
        report.add(name, "connections", Double(connections), "")
        return report
    }

    private func connections(_ simulator: SimulatorProcess, _ http: HTTPClient) async throws -> Int {
        let response = try await http.execute(
            HTTPClientRequest(url: simulator.control + "/stats"),
            timeout: .seconds(10)
        )
        let body = try await response.body.collect(upTo: 1 << 20)
        let stats = try JSONSerialization.jsonObject(with: Data(body.readableBytesView)) as? [String: Any]
        let apns = (stats?["providers"] as? [String: Any])?["apns"] as? [String: Any]
        return (apns?["connections"] as? [String: Any])?["opened"] as? Int ?? 0
    }
}
