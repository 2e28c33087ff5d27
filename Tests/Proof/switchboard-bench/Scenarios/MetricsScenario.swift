import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import ProcessHarness

/// The gateway's CPU for `GET /metrics` with many lanes.
struct MetricsScenario {
    /// The number of lanes, at least.
    var lanes: Int
    /// The limit: milliseconds of CPU of a request.
    var cpuLimit = 10.0

    private static let (rounds, requestsPerRound) = (21, 10)
    /// A series of the lanes; none names a lane or an app, because their values are added by provider.
    private static let series = "switchboard_delivery_in_flight_pushes{provider=\"apns\"} "

    /// Runs it on a fresh installation.
    ///
    /// - Parameter http: An HTTP client.
    /// - Returns: The figures.
    /// - Throws: An error when a request is rejected, or lanes or series are missing.
    func run(http: HTTPClient) async throws -> Report {
        try await Installation.use(quiet: true) { try await measure($0, http) }
    }

    private func measure(_ installation: Installation, _ http: HTTPClient) async throws -> Report {
        let brand = "/v1/brands/\(Installation.brand)"
        try await installation.call(http, "POST", "/v1/brands", #"{"id":"\#(Installation.brand)","name":"Bench"}"#)
        let app = try installation.simulator.iOSApp()
        try await installation.call(http, "PUT", brand + "/apps/ios-0", app)
        // One for each environment of APNs.
        let lanesPerApp = max(try await count(installation, http, brand), 1)
        let apps = (lanes + lanesPerApp - 1) / lanesPerApp
        for number in 1..<max(apps, 2) { try await installation.call(http, "PUT", brand + "/apps/ios-\(number)", app) }
        let made = try await count(installation, http, brand)
        guard made >= lanes else { throw HarnessError("\(apps) apps have only \(made) lanes") }
        var text = ""
        var costs: [Double] = []
        for _ in 0...Self.rounds {
            let before = try ProcessUsage(pid: installation.gateway.process.id)
            for _ in 0..<Self.requestsPerRound { text = try await metrics(installation, http) }
            let after = try ProcessUsage(pid: installation.gateway.process.id)
            costs.append((after.cpuSeconds - before.cpuSeconds) * 1e3 / Double(Self.requestsPerRound))
        }
        guard text.contains("\n" + Self.series) else { throw HarnessError("/metrics lacks \(Self.series)") }
        var report = Report()
        let name = "metrics of \(made) lanes"
        // Without the first, which includes new connections and pages.
        report.add(name, "gateway CPU a request", Array(costs.dropFirst()).median, "ms", atMost: cpuLimit)
        let series = text.split(separator: "\n").count { !$0.hasPrefix("#") }
        report.add(name, "series", Double(series), "")
        report.add(name, "length", Double(text.utf8.count) / 1e3, "KB")
        return report
    }

    /// Returns the number of lanes of a brand.
    private func count(_ installation: Installation, _ http: HTTPClient, _ brand: String) async throws -> Int {
        var (count, cursor) = (0, "")
        repeat {
            let page = try await installation.call(http, "GET", brand + "/lanes?limit=500" + cursor)
            count += (page["items"] as? [Any])?.count ?? 0
            // A cursor is base64 for URLs.
            cursor = (page["nextCursor"] as? String).map { "&cursor=" + $0 } ?? ""
        } while !cursor.isEmpty
        return count
    }

    /// Reads the metrics as Prometheus does: in OpenMetrics, with exemplars.
    private func metrics(_ installation: Installation, _ http: HTTPClient) async throws -> String {
        var request = HTTPClientRequest(url: installation.gateway.url + "/metrics")
        request.headers.add(name: "accept", value: "application/openmetrics-text")
        let response = try await http.execute(request, timeout: .seconds(60))
        let body = try await response.body.collect(upTo: 16 << 20)
        guard response.status == .ok else { throw HarnessError("/metrics responded \(response.status)") }
        return String(buffer: body)
    }
}
