import AsyncHTTPClient
import NIOCore
import ProcessHarness
import Synchronization

/// The cost of an event for a gateway with many consumers in random order, while its data grows.
///
/// Events go through the whole path: posted in batches with unordered ids, stored, pushed to the
/// simulator, outcomes recorded.
struct PopulationScenario {
    /// The number of consumers, with one device each.
    var consumers: Int
    /// The total number of events.
    var events: Int
    /// The number of events measured together, before the others are posted and at the end.
    var slice: Int
    /// The limit: gateway CPU per event in requests of h2load.
    var unitLimit = 10.0
    /// The limit: the last slice's units as a multiple of the first's.
    var growthLimit = 1.1

    private static let eventsPerRequest = 500
    private static let connections = 4

    /// The cost of a slice.
    private struct Cost {
        var microseconds: Double
        /// The cost in requests of h2load; nil when it is not installed.
        var units: Double?
    }

    /// Runs it on a fresh installation.
    ///
    /// - Parameters:
    ///   - group: The event loops of the load's connections.
    ///   - http: The HTTP client of unmeasured requests.
    ///   - say: Prints the progress.
    /// - Returns: The figures.
    /// - Throws: An error when a request is rejected or a push is missing.
    func run(group: any EventLoopGroup, http: HTTPClient, say: (String) -> Void) async throws -> Report {
        try await Installation.use(quiet: true) { installation in
            let authorization = try await installation.configure(http: http, consumers: 0)
            let gateway = try await installation.registerDevices(
                0..<consumers,
                app: Installation.iosApp,
                consumers: consumers
            )
            let load = Load(
                installation: installation,
                gateway: gateway,
                authorization: authorization,
                group: group,
                http: http
            )
            let result: Result<Report, any Error>
            do { result = .success(try await measure(load, say)) } catch { result = .failure(error) }
            _ = try await gateway.process.stop(within: .seconds(60))
            return try result.get()
        }
    }

    private struct Load {
        var installation: Installation
        var gateway: GatewayProcess
        var authorization: String
        var group: any EventLoopGroup
        var http: HTTPClient
    }

    private func measure(_ load: Load, _ say: (String) -> Void) async throws -> Report {
        var report = Report()
        let name = "batches of 500 over \(consumers) consumers"
        // The first pushes include dialling, and new pages and statements.
        _ = try await post(load, Self.eventsPerRequest)
        say("population: the first \(slice) events")
        let first = try await cost(load, slice)
        add(first, "events 1 to \(slice)", name, to: &report)
        var posted = slice
        while posted + 2 * slice <= events {
            say("population: \(posted) of \(events) events")
            _ = try await post(load, slice)
            posted += slice
        }
        say("population: the last \(slice) events")
        let last = try await cost(load, slice)
        add(last, "events \(posted + 1) to \(posted + slice)", name, to: &report)
        if let units = last.units, let before = first.units {
            report.add(name, "last by first, units", units / before, "x", atMost: growthLimit)
        } else {
            report.add(name, H2load.missing, 0, "")
        }
        let usage = try ProcessUsage(pid: load.gateway.process.id)
        report.add(name, "gateway peak memory", Double(usage.peakResidentBytes) / 1e6, "MB")
        return report
    }

    private func add(_ cost: Cost, _ part: String, _ name: String, to report: inout Report) {
        report.add(name, part + ", gateway CPU an event", cost.microseconds, "us")
        guard let units = cost.units else { return }
        report.add(name, part + ", in requests of h2load", units, "units", atMost: unitLimit)
    }

    /// Measures a slice, with h2load before and after it: the host may change speed meanwhile.
    private func cost(_ load: Load, _ count: Int) async throws -> Cost {
        let before = try await reference(load, count)
        let microseconds = try await post(load, count)
        guard let before, let after = try await reference(load, count) else {
            return Cost(microseconds: microseconds, units: nil)
        }
        return Cost(microseconds: microseconds, units: microseconds / ((before + after) / 2))
    }

    private func reference(_ load: Load, _ count: Int) async throws -> Double? {
        let h2load = H2load(
            simulator: load.installation.simulator,
            directory: load.installation.directory,
            http: load.http
        )
        return try await h2load.cost(requests: count, body: IngestScenario.push)?.microseconds
    }

    /// Posts events and waits until their pushes' outcomes are stored; returns the gateway's CPU microseconds an event.
    private func post(_ load: Load, _ count: Int) async throws -> Double {
        let pushes = try await load.installation.simulator.acceptedPushes(load.http)
        let before = try ProcessUsage(pid: load.gateway.process.id).cpuSeconds
        let next = Mutex(0)
        let consumers = consumers
        let work = RequestSequence(
            path: "/v1/brands/\(Installation.brand)/events",
            authorization: load.authorization,
            contentType: "application/x-ndjson"
        ) { _ in
            let first = next.withLock { next in
                defer { next += Self.eventsPerRequest }
                return next
            }
            let size = min(Self.eventsPerRequest, count - first)
            return size > 0 ? Self.batch(first..<first + size, consumers: consumers) : nil
        }
        try await withThrowingTaskGroup(of: Int.self) { tasks in
            for _ in 0..<Self.connections {
                tasks.addTask {
                    let client = try await KeepAliveClient.connect(
                        host: "127.0.0.1",
                        port: load.gateway.port,
                        group: load.group
                    )
                    let results = try await client.run(work)
                    await client.close()
                    return results.refused
                }
            }
            let refused = try await tasks.reduce(0, +)
            guard refused == 0 else { throw HarnessError("\(refused) responses were not 202") }
        }
        try await load.installation.waitForPushes(pushes + count, load.http)
        try await load.installation.waitForOutcomes(load.http)
        return (try ProcessUsage(pid: load.gateway.process.id).cpuSeconds - before) * 1e6 / Double(count)
    }

    /// Makes events to consumers in random order, with unordered ids.
    private static func batch(_ numbers: Range<Int>, consumers: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(numbers.count * 500)
        for number in numbers {
            let event = EventBodies.event(
                run: String(UInt64.random(in: .min ... .max), radix: 16),
                // The consumer of an event is its number modulo the consumers.
                number: number * consumers + Int.random(in: 0..<consumers),
                consumers: consumers
            )
            bytes.append(contentsOf: event.utf8)
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }
}
