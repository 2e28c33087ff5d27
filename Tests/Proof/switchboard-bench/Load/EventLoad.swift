import NIOCore
import ProcessHarness
import Synchronization

/// Single events over keep-alive connections, to a gateway whose lane sends nothing.
struct EventLoad: Sendable {
    /// The port of the gateway on the loopback address.
    var port: Int
    /// The value of `authorization`.
    var authorization: String
    /// Keep-alive connections, each with one request at a time.
    var connections = 64
    /// The number of consumers, which take turns.
    var consumers: Int

    /// Posts events.
    ///
    /// - Parameters:
    ///   - run: A prefix that is unique for the run.
    ///   - events: The number of events.
    ///   - rate: Events per second at evenly spaced times, independent of responses; nil posts as fast as responses
    ///     arrive.
    ///   - group: The event loops of the connections.
    /// - Returns: The seconds that each request took, counted from its due time.
    /// - Throws: ``HarnessError`` when a response is not 202.
    func post(run: String, events: Int, rate: Double? = nil, group: any EventLoopGroup) async throws -> [Double] {
        let clients = try await connect(group)
        let start = NIODeadline.now() + .milliseconds(20)
        let next = Mutex(0)
        let (consumers, connections) = (consumers, connections)
        let results: [RequestResults] = try await withThrowingTaskGroup(of: RequestResults.self) { tasks in
            for (place, client) in clients.enumerated() {
                var due: (@Sendable (Int) -> NIODeadline)?
                if let rate {
                    let interval = 1e9 / rate
                    due = { start + .nanoseconds(Int64(Double($0 * connections + place) * interval)) }
                }
                let work = RequestSequence(
                    path: "/v1/brands/\(Installation.brand)/events",
                    authorization: authorization,
                    contentType: "application/json",
                    due: due
                ) { _ in
                    let number = next.withLock { next in
                        defer { next += 1 }
                        return next
                    }
                    guard number < events else { return nil }
                    return Array(EventBodies.event(run: run, number: number, consumers: consumers).utf8)
                }
                tasks.addTask { try await client.run(work) }
            }
            var results: [RequestResults] = []
            for try await result in tasks { results.append(result) }
            return results
        }
        for client in clients { await client.close() }
        let refused = results.reduce(0) { $0 + $1.refused }
        guard refused == 0 else { throw HarnessError("\(refused) responses were not 202") }
        return results.flatMap(\.latencies)
    }

    private func connect(_ group: any EventLoopGroup) async throws -> [KeepAliveClient] {
        var clients: [KeepAliveClient] = []
        for _ in 0..<connections {
            clients.append(try await KeepAliveClient.connect(host: "127.0.0.1", port: port, group: group))
        }
        return clients
    }
}
