import HTTP2Connections
import NIOCore
import NIOPosix
import Synchronization
import TLS
import TestSupport
import Testing

/// A source that the test controls.
private final class ScriptedSource: HTTP2RequestSource {
    private let state = Mutex((left: 0, pool: HTTP2ConnectionPool?.none, capacities: [Int]()))
    private let excess: Int
    private let onReceive: @Sendable (HTTP2ConnectionPool) -> Void
    let received = Responses()

    init(excess: Int = 0, onReceive: @escaping @Sendable (HTTP2ConnectionPool) -> Void = { _ in }) {
        self.excess = excess
        self.onReceive = onReceive
    }

    func add(_ count: Int, pool: HTTP2ConnectionPool) {
        state.withLock {
            $0.left += count
            $0.pool = pool
        }
        pool.wake()
    }

    var capacities: [Int] { state.withLock { $0.capacities } }

    func nextRequests(connection: UInt64, capacity: Int, into requests: inout [HTTP2Request]) {
        let count = state.withLock { state in
            state.capacities.append(capacity)
            let count = min(state.left, capacity + excess)
            state.left -= count
            return count
        }
        for _ in 0..<count {
            requests.append(HTTP2Request(id: UInt64.random(in: 1...UInt64.max), path: "/", body: [1]))
        }
    }

    func receive(_ responses: [HTTP2Response]) {
        if let pool = state.withLock({ $0.pool }) { onReceive(pool) }
        for response in responses { received.put(response) }
    }

    func connectionChanged(_ connection: UInt64, _ state: HTTP2ConnectionState) {}
}

@Suite("Request sources")
struct RequestSourceTests {
    private func run(
        _ source: ScriptedSource,
        streams: UInt32 = 1000,
        body: (HTTP2ConnectionPool, TestApplication) async throws -> Void
    ) async throws {
        let authority = try TestAuthority()
        let application = TestApplication { _ in HTTP2ServerResponse(status: 200) }
        var configuration = HTTP2ServerConfiguration()
        configuration.maxConcurrentStreams = streams
        let server = try await HTTP2Server.bind(
            tls: try TLSServerContext(identity: try authority.issue()),
            configuration: configuration,
            application: application,
            group: MultiThreadedEventLoopGroup.singleton,
            logger: Loopback.logger
        )
        let pool = HTTP2ConnectionPool(
            target: HTTP2Target(host: "127.0.0.1", port: server.port),
            tls: try TLSClientContext(trustRootsPEM: authority.certificatePEM),
            eventLoop: MultiThreadedEventLoopGroup.singleton.next(),
            source: source,
            logger: Loopback.logger
        )
        try await body(pool, application)
        try await pool.shutdown(deadline: .now()).get()
        await server.shutdown()
    }

    @Test("the pool never pulls more than the peer's stream limit allows", .timeLimit(.minutes(10)))
    func capacity() async throws {
        let source = ScriptedSource()
        try await run(source, streams: 10) { pool, _ in
            source.add(100, pool: pool)
            #expect(await source.received.take(100).allSatisfy { $0.status == 200 })
            #expect(source.capacities.allSatisfy { (1...9).contains($0) })
        }
    }

    @Test("an empty source is not asked again before it wakes the pool", .timeLimit(.minutes(10)))
    func askedOnce() async throws {
        let source = ScriptedSource()
        try await run(source) { pool, _ in
            for round in 1...3 {
                source.add(5, pool: pool)
                #expect(await source.received.take(5).allSatisfy { $0.status == 200 })
                #expect(source.capacities.count == round)
            }
        }
    }

    @Test("requests beyond the capacity fail as unprocessed", .timeLimit(.minutes(10)))
    func excess() async throws {
        let source = ScriptedSource(excess: 3)
        try await run(source, streams: 1) { pool, _ in
            source.add(4, pool: pool)
            let received = await source.received.take(4)
            #expect(received.filter { $0.failure == .unprocessed(.queueFull) }.count == 3)
            #expect(received.filter { $0.status == 200 }.count == 1)
        }
    }

    @Test("waking the pool from inside a response is allowed and coalesced", .timeLimit(.minutes(10)))
    func wakeInside() async throws {
        let source = ScriptedSource { pool in
            for _ in 0..<100 { pool.wake() }
        }
        try await run(source) { pool, _ in
            for _ in 0..<20 {
                source.add(50, pool: pool)
                #expect(await source.received.take(50).allSatisfy { $0.status == 200 })
            }
        }
    }

    @Test("shutting the pool down from inside a response completes every request once", .timeLimit(.minutes(10)))
    func shutdownInside() async throws {
        let source = ScriptedSource { pool in
            _ = pool.shutdown(deadline: .now())
        }
        try await run(source, streams: 200) { pool, application in
            source.add(180, pool: pool)
            let first = await source.received.next()
            #expect(first.status == 200)
            try await pool.shutdown(deadline: .now()).get()
            let arrived = await application.events.requests(1)
            #expect(!arrived.isEmpty)
        }
        let ids = source.received.pending.map(\.id)
        #expect(Set(ids).count == ids.count)
    }

    @Test("a full or closed queue rejects requests, and nothing is lost", .timeLimit(.minutes(10)))
    func queueBounds() async throws {
        let queue = HTTP2RequestQueue(limit: 2)
        let received = Responses()
        let request = HTTP2Request(id: 5, path: "/")
        #expect(queue.submit(request) { received.put($0) })
        #expect(queue.submit(request) { received.put($0) })
        #expect(!queue.submit(request) { received.put($0) })
        #expect(await queue.send(request).failure == .unprocessed(.queueFull))
        #expect(queue.depth == 2)
        queue.close()
        #expect(await received.take(2).allSatisfy { $0.id == 5 && $0.failure == .unprocessed(.shutdown) })
        #expect(!queue.submit(request) { received.put($0) })
    }
}
