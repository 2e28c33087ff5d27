import AsyncHTTPClient
import Foundation
import NIOCore
import ProcessHarness

/// The latency of a 202 while an app with very many devices is deleted and many devices report many receipts at once.
struct LargeChangesScenario {
    /// The number of devices of the deleted app.
    var devices: Int
    /// The number of events posted without the changes, and again with them.
    var events: Int
    /// Events per second.
    var rate = 250.0
    /// The limit: the 99th percentile with the changes as a multiple of that without.
    var ratioLimit = 3.0

    private static let consumers = 500
    private static let connections = 16
    /// The number of simultaneous calls with receipts, each of another consumer.
    private static let calls = 40
    private static let receipts = 500
    private static let deleted = "deleted"

    /// Runs it on a fresh installation.
    ///
    /// - Parameters:
    ///   - group: The event loops of the load's connections.
    ///   - http: The HTTP client of unmeasured requests.
    ///   - say: Prints the progress.
    /// - Returns: The figures.
    /// - Throws: An error when a request is rejected.
    func run(group: any EventLoopGroup, http: HTTPClient, say: (String) -> Void) async throws -> Report {
        try await Installation.use(quiet: true) { installation in
            let authorization = try await installation.configure(http: http, consumers: Self.consumers + Self.calls)
            let app = try installation.simulator.iOSApp(endpoint: nil)
            try await installation.call(http, "PUT", "/v1/brands/\(Installation.brand)/apps/\(Self.deleted)", app)
            say("large-changes: registering \(devices) devices")
            let gateway = try await installation.registerDevices(
                1_000_000..<1_000_000 + devices,
                app: Self.deleted,
                consumers: Self.consumers
            )
            let result: Result<Report, any Error>
            do {
                let load = EventLoad(
                    port: gateway.port,
                    authorization: authorization,
                    connections: Self.connections,
                    consumers: Self.consumers
                )
                result = .success(try await measure(installation, load, group: group, http: http, say: say))
            } catch {
                result = .failure(error)
            }
            _ = try await gateway.process.stop(within: .seconds(60))
            return try result.get()
        }
    }

    private func measure(
        _ installation: Installation,
        _ load: EventLoad,
        group: any EventLoopGroup,
        http: HTTPClient,
        say: (String) -> Void
    ) async throws -> Report {
        var reporters: [Reporter] = []
        for number in 0..<Self.calls {
            reporters.append(
                try await reporter(Self.consumers + number, installation, http, authorization: load.authorization)
            )
        }
        _ = try await load.post(run: "warm", events: 500, rate: rate, group: group)
        say("large-changes: idle")
        let idle = try await load.post(run: "idle", events: events, rate: rate, group: group)
        say("large-changes: with the changes")
        async let changed = load.post(run: "changed", events: events, rate: rate, group: group)
        try await installation.call(http, "DELETE", "/v1/brands/\(Installation.brand)/apps/\(Self.deleted)")
        var recorded = 0
        for state in ["delivered", "displayed", "dismissed"] {
            recorded += try await report(state, reporters, installation, http)
        }
        let busy = try await changed
        let ended = try await ended(installation, http)
        var report = Report()
        let name = "an app with \(devices) devices deleted, \(Self.calls) x \(Self.receipts) receipts three times"
        report.add(name, "202 p50, idle", idle.percentile(0.5) * 1e3, "ms")
        report.add(name, "202 p99, idle", idle.percentile(0.99) * 1e3, "ms")
        report.add(name, "202 p50", busy.percentile(0.5) * 1e3, "ms")
        report.add(name, "202 p99", busy.percentile(0.99) * 1e3, "ms")
        report.add(name, "202 slowest", busy.percentile(1) * 1e3, "ms")
        report.add(name, "receipts recorded", Double(recorded), "", atLeast: Double(Self.calls * Self.receipts * 3))
        report.add(name, "devices that were unregistered meanwhile", ended, "", atLeast: 1)
        let ratio = busy.percentile(0.99) / idle.percentile(0.99)
        report.add(name, "p99 against idle", ratio, "x", atMost: ratioLimit)
        return report
    }

    /// A consumer who received messages, and its session.
    private struct Reporter: Sendable {
        var number: Int
        var session: String
        var messages: [String]
    }

    private func reporter(
        _ number: Int,
        _ installation: Installation,
        _ http: HTTPClient,
        authorization: String
    ) async throws -> Reporter {
        let brand = "/v1/brands/\(Installation.brand)"
        let response = try await installation.call(
            http,
            "POST",
            brand + "/consumers/consumer-\(number)/sessions",
            #"{"deviceId":"device-\#(number)"}"#
        )
        let events = (0..<Self.receipts).map {
            EventBodies.event(run: "reported\($0)", number: number, consumers: Self.consumers + Self.calls)
        }
        let body = "[" + events.joined(separator: ",") + "]"
        let posted = try await installation.call(http, "POST", brand + "/events", body, authorization: authorization)
        let messages = (posted["results"] as? [[String: Any]])?.compactMap { $0["messageId"] as? String } ?? []
        guard let session = response["sessionToken"] as? String, messages.count == Self.receipts else {
            throw HarnessError("a consumer has no session or not all of its messages")
        }
        return Reporter(number: number, session: session, messages: messages)
    }

    /// Sends the receipts of all reporters at once; returns how many matched a delivery.
    private func report(
        _ state: String,
        _ reporters: [Reporter],
        _ installation: Installation,
        _ http: HTTPClient
    ) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for reporter in reporters {
                let items = reporter.messages.map {
                    #"{"messageId":"\#($0)","deviceId":"device-\#(reporter.number)","state":"\#(state)","#
                        + #""at":"2026-01-01T00:00:00Z"}"#
                }
                let body = #"{"receipts":["# + items.joined(separator: ",") + "]}"
                group.addTask {
                    let response = try await installation.call(
                        http,
                        "POST",
                        "/v1/brands/\(Installation.brand)/receipts",
                        body,
                        authorization: "Bearer \(reporter.session)"
                    )
                    return response["recorded"] as? Int ?? 0
                }
            }
            return try await group.reduce(0, +)
        }
    }

    /// Returns how many of the deleted app's rows housekeeping has removed, from the gateway's metrics.
    private func ended(_ installation: Installation, _ http: HTTPClient) async throws -> Double {
        let request = HTTPClientRequest(url: installation.gateway.url + "/metrics")
        let body = try await http.execute(request, timeout: .seconds(60)).body.collect(upTo: 16 << 20)
        let line = String(buffer: body).split(separator: "\n").first {
            $0.hasPrefix("switchboard_housekeeping_removed_rows_total") && $0.contains("deleted_apps")
        }
        return line.flatMap { $0.split(separator: " ").last }.flatMap { Double($0) } ?? 0
    }
}
