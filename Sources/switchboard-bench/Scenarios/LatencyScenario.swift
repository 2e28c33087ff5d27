import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import ProcessHarness

/// How long an event takes from being posted to its push arriving at the provider, at a rate that leaves the machine air.
struct LatencyScenario {
    /// How many events, each posted when its moment comes.
    var events = 2000
    /// Events a second.
    var rate = 200

    /// Runs it on a fresh installation whose simulator keeps every push with its time of arrival.
    ///
    /// - Parameter http: A client; its connections are kept alive.
    /// - Returns: The figures.
    /// - Throws: When a request is refused or a push is missing.
    func run(http: HTTPClient) async throws -> Report {
        try await Installation.use(quiet: false) { try await measure($0, http: http) }
    }

    private func measure(_ installation: Installation, http: HTTPClient) async throws -> Report {
        let authorization = try await installation.configure(http: http, consumers: 500)
        let idle = try ProcessUsage(pid: installation.gateway.process.id)
        let start = ContinuousClock.now
        let posted = try await withThrowingTaskGroup(of: (String, Double).self) { group in
            for number in 0..<events {
                try await Task.sleep(until: start + .microseconds(number * 1_000_000 / rate))
                group.addTask {
                    let body = EventBodies.event(run: "latency", number: number, consumers: 500)
                    let sentAt = Date().timeIntervalSince1970
                    let answer = try await installation.call(
                        http,
                        "POST",
                        "/v1/brands/\(Installation.brand)/events",
                        body,
                        authorization: authorization
                    )
                    guard let result = (answer["results"] as? [[String: Any]])?.first,
                        let message = result["messageId"] as? String
                    else { throw HarnessError("an event was not accepted") }
                    return (message, sentAt)
                }
            }
            var posted: [String: Double] = [:]
            for try await (message, sentAt) in group { posted[message] = sentAt }
            return posted
        }
        try await installation.waitForPushes(events, http)
        let arrivals = try await arrivals(installation, http)
        let latencies = posted.compactMap { message, sentAt in arrivals[message].map { ($0 - sentAt) * 1e3 } }
        guard latencies.count == events else { throw HarnessError("\(events - latencies.count) pushes are missing") }
        var report = Report()
        let name = "latency at \(rate) events/s"
        report.add(name, "posted to push received, p50", latencies.percentile(0.5), "ms")
        report.add(name, "posted to push received, p99", latencies.percentile(0.99), "ms")
        report.add("idle", "gateway resident memory, 500 devices", Double(idle.residentBytes) / 1e6, "MB", atMost: 60)
        return report
    }

    /// When each message's push arrived, in seconds since 1970.
    private func arrivals(_ installation: Installation, _ http: HTTPClient) async throws -> [String: Double] {
        var arrivals: [String: Double] = [:]
        var after = 0
        let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        while true {
            let url = installation.simulator.control + "/pushes?after=\(after)&waitSeconds=0"
            let response = try await http.execute(HTTPClientRequest(url: url), timeout: .seconds(30))
            let bytes = try await response.body.collect(upTo: 256 << 20)
            let page = try JSONSerialization.jsonObject(with: Data(buffer: bytes)) as? [String: Any]
            guard let pushes = page?["pushes"] as? [[String: Any]], !pushes.isEmpty else { return arrivals }
            for push in pushes {
                after = max(after, push["number"] as? Int ?? 0)
                guard let body = push["body"] as? [String: Any], let message = body["messageId"] as? String,
                    let time = push["time"] as? String
                else { continue }
                arrivals[message] = try format.parse(time).timeIntervalSince1970
            }
        }
    }
}
