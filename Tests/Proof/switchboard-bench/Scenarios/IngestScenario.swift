import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix
import ProcessHarness
import Synchronization

/// Events through the whole path: posted over HTTP, stored, pushed to the simulator, outcomes recorded.
struct IngestScenario {
    /// The name in the report.
    var name: String
    /// Events of one request: 1 posts single events as JSON, more posts NDJSON.
    var eventsPerRequest: Int
    /// Keep-alive connections, each with one request at a time.
    var connections: Int
    /// The total number of events.
    var events: Int
    /// The number of consumers, with one device each, which take turns.
    var consumers: Int
    /// The limit: gateway CPU microseconds per notification.
    var cpuLimit: Double

    /// The name of the figure of pushes delivered a second.
    static let deliveredFigure = "pushes delivered"

    /// A push as the gateway sends it for one of the events.
    static let push = #"""
        {"aps":{"alert":{"title":"Dana","body":"Your order has shipped and will be with you tomorrow between nine and \#
        eleven."},"badge":2,"sound":"default","thread-id":"conversation-1","mutable-content":1},"brandId":"bench",\#
        "messageId":"01a1ff60-0e6a-7001-a317-3b2a73afe97c","conversationId":"conversation-1","sequence":2,"badge":2,\#
        "backendService":"ams","originatorId":"8500.2001"}
        """#

    /// Runs it on a fresh installation.
    ///
    /// - Parameters:
    ///   - group: The event loops of the load's connections.
    ///   - http: The HTTP client of unmeasured requests.
    /// - Returns: The figures.
    /// - Throws: An error when a request is rejected or a push is missing.
    func run(group: any EventLoopGroup, http: HTTPClient) async throws -> Report {
        try await Installation.use(quiet: true) { try await measure($0, group: group, http: http) }
    }

    private func measure(_ installation: Installation, group: any EventLoopGroup, http: HTTPClient) async throws
        -> Report
    {
        let authorization = try await installation.configure(http: http, consumers: consumers)
        // The first pushes include dialling and new pages and statements.
        let warmUp = max(events / 20, eventsPerRequest)
        try await post(run: "warm", events: warmUp, installation, authorization, group)
        try await installation.waitForPushes(warmUp, http)

        let before = try ProcessUsage(pid: installation.gateway.process.id)
        let start = ContinuousClock.now
        let results = try await post(run: "run", events: events, installation, authorization, group)
        let ingested = ContinuousClock.now
        try await installation.waitForPushes(warmUp + events, http)
        let delivered = ContinuousClock.now
        try await installation.waitForOutcomes(http)
        let after = try ProcessUsage(pid: installation.gateway.process.id)

        var report = Report()
        let count = Double(events)
        report.add(name, "events accepted", count / seconds(ingested - start), "events/s")
        report.add(name, Self.deliveredFigure, count / seconds(delivered - start), "pushes/s")
        let cost = (after.cpuSeconds - before.cpuSeconds) * 1e6 / count
        report.add(name, "gateway CPU a notification", cost, "us", atMost: cpuLimit)
        let h2load = H2load(simulator: installation.simulator, directory: installation.directory, http: http)
        if let reference = try await h2load.cost(requests: events, body: Self.push) {
            report.add(name, "h2load CPU a request", reference.microseconds, "us")
            report.add(name, "ratio to h2load", cost / reference.microseconds, "x")
        } else {
            report.add(name, H2load.missing, 0, "")
        }
        report.add(name, "request p50", results.percentile(0.5) * 1e3, "ms")
        report.add(name, "request p99", results.percentile(0.99) * 1e3, "ms")
        report.add(name, "gateway peak memory", Double(after.peakResidentBytes) / 1e6, "MB")
        return report
    }

    /// Posts events over all connections at once; few bodies are created before the measurement.
    ///
    /// - Parameters:
    ///   - run: A prefix that is unique for the run.
    ///   - events: The number of events.
    ///   - installation: The installation that receives them.
    ///   - authorization: The value of `authorization`.
    ///   - group: The event loops of the connections.
    /// - Returns: The seconds that each request took.
    /// - Throws: ``HarnessError`` when a response is not 202.
    @discardableResult
    func post(
        run: String,
        events: Int,
        _ installation: Installation,
        _ authorization: String,
        _ group: any EventLoopGroup
    ) async throws -> [Double] {
        let requests = (events + eventsPerRequest - 1) / eventsPerRequest
        let next = Mutex(0)
        let size = eventsPerRequest
        let consumers = consumers
        let work = RequestSequence(
            path: "/v1/brands/\(Installation.brand)/events",
            authorization: authorization,
            contentType: size == 1 ? "application/json" : "application/x-ndjson",
            body: { _ in
                let request = next.withLock { next in
                    defer { next += 1 }
                    return next
                }
                guard request < requests else { return nil }
                let count = min(size, events - request * size)
                return size == 1
                    ? Array(EventBodies.event(run: run, number: request, consumers: consumers).utf8)
                    : EventBodies.batch(run: run, first: request * size, count: count, consumers: consumers)
            }
        )
        let port = installation.gateway.port
        return try await withThrowingTaskGroup(of: RequestResults.self) { tasks in
            for _ in 0..<connections {
                tasks.addTask {
                    let client = try await KeepAliveClient.connect(host: "127.0.0.1", port: port, group: group)
                    let results = try await client.run(work)
                    await client.close()
                    return results
                }
            }
            var latencies: [Double] = []
            for try await results in tasks {
                guard results.refused == 0 else {
                    throw HarnessError("\(results.refused) responses were not 202")
                }
                latencies += results.latencies
            }
            return latencies
        }
    }
}
