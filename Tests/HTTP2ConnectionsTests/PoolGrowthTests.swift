import HTTP2Connections
import NIOCore
import NIOPosix
import TestSupport
import Testing

/// Several connections of one pool, over real sockets.
@Suite("Pool growth")
struct PoolGrowthTests {
    private static let never: TestApplication.Responder = { _ in nil }

    /// Takes that many requests from the server's events, by connection.
    private func arrived(_ count: Int, _ loopback: Loopback) async -> [ObjectIdentifier: [HTTP2ServerRequest]] {
        var found: [ObjectIdentifier: [HTTP2ServerRequest]] = [:]
        while found.values.reduce(0, { $0 + $1.count }) < count {
            if case .requests(let more, let connection) = await loopback.application.events.next() {
                found[ObjectIdentifier(connection), default: []] += more
            }
        }
        return found
    }

    @Test("when all streams are in use more connections are opened, and the load is spread", .timeLimit(.minutes(10)))
    func streams() async throws {
        var server = HTTP2ServerConfiguration()
        server.maxConcurrentStreams = 10
        try await Loopback.run(respond: Self.never, server: server) { loopback in
            let responses = loopback.submit(70)
            // There is no response before all have arrived: 8 connections of 9 streams.
            let byConnection = await arrived(70, loopback)
            #expect(byConnection.count == 8)
            #expect(byConnection.values.allSatisfy { $0.count <= 9 })
            for request in byConnection.values.joined() { request.stream.respond(HTTP2ServerResponse(status: 200)) }
            #expect(await responses.take(70).allSatisfy { $0.status == 200 })
        }
    }

    @Test("further connections resume the session of the first, which is still open", .timeLimit(.minutes(10)))
    func resumes() async throws {
        var server = HTTP2ServerConfiguration()
        server.maxConcurrentStreams = 10
        try await Loopback.run(respond: Self.never, server: server) { loopback in
            let responses = loopback.submit(36)
            var (isResumed, requests): ([Bool], [HTTP2ServerRequest]) = ([], [])
            while requests.count < 36 {
                switch await loopback.application.events.next() {
                case .opened(_, let facts): isResumed.append(facts.isResumed)
                case .requests(let more, _): requests += more
                case .closed: Issue.record("a connection was closed")
                }
            }
            #expect(isResumed == [false, true, true, true])
            for request in requests { request.stream.respond(HTTP2ServerResponse(status: 200)) }
            #expect(await responses.take(36).allSatisfy { $0.status == 200 })
        }
    }

    @Test("it never opens more connections than its limit", .timeLimit(.minutes(10)))
    func limit() async throws {
        var server = HTTP2ServerConfiguration()
        server.maxConcurrentStreams = 10
        var client = HTTP2ConnectionConfiguration()
        client.maximumConnections = 3
        try await Loopback.run(respond: Self.never, server: server, client: client) { loopback in
            let responses = loopback.submit(100)
            var connections: Set<ObjectIdentifier> = []
            var left = 100
            while left > 0 {
                let byConnection = await arrived(min(27, left), loopback)
                connections.formUnion(byConnection.keys)
                for request in byConnection.values.joined() {
                    request.stream.respond(HTTP2ServerResponse(status: 200))
                    left -= 1
                }
            }
            #expect(connections.count == 3)
            #expect(await responses.take(100).allSatisfy { $0.status == 200 })
        }
    }

    @Test("a pool without a connection gets the slot of another's further one", .timeLimit(.minutes(10)))
    func budget() async throws {
        var server = HTTP2ServerConfiguration()
        server.maxConcurrentStreams = 10
        let budget = HTTP2ConnectionBudget(connections: 4)
        try await Loopback.run(respond: Self.never, server: server, budget: budget) { loopback in
            // The first and one more; the rest waits, since one half is for pools without a connection.
            let responses = loopback.submit(30)
            let byConnection = await arrived(18, loopback)
            #expect(byConnection.count == 2)
            #expect(await loopback.state { $0 == .failed(.limit) } == .failed(.limit))
            #expect(budget.count == 2)
            let port = loopback.server.port
            let trust = loopback.authority.certificatePEM
            try await Dial.run(port: port, trust: trust, budget: budget) { second in
                try await Dial.run(port: port, trust: trust, budget: budget) { third in
                    for dial in [second, third] {
                        #expect(dial.queue.submit(HTTP2Request(id: 1, path: "/")) { _ in })
                        _ = await arrived(1, loopback)
                    }
                    #expect(budget.count == 4)
                    try await Dial.run(port: port, trust: trust, budget: budget) { fourth in
                        #expect(fourth.queue.submit(HTTP2Request(id: 1, path: "/")) { _ in })
                        #expect(await fourth.failure() == .limit)
                        _ = await loopback.state { $0 == .draining(.spare) }
                        for request in byConnection.values.joined() {
                            request.stream.respond(HTTP2ServerResponse(status: 200))
                        }
                        #expect(await responses.take(18).allSatisfy { $0.status == 200 })
                        // The rest of the first pool's, one by one connection, and the fourth's.
                        for request in await arrived(10, loopback).values.joined() {
                            request.stream.respond(HTTP2ServerResponse(status: 200))
                        }
                        #expect(budget.count == 4)
                    }
                }
            }
        }
        #expect(budget.count == 0)
    }

    @Test("an abandoned dial releases its slot when it ends", .timeLimit(.minutes(10)))
    func budgetOfDials() async throws {
        let budget = HTTP2ConnectionBudget(connections: 1)
        let hold = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)
        let makeResolver: @Sendable (any EventLoop) -> any Resolver & Sendable = {
            HeldResolver(eventLoop: $0, hold: hold.futureResult)
        }
        try await Loopback.run(budget: budget, makeResolver: makeResolver) { loopback in
            _ = loopback.submit(1)
            _ = await loopback.state { $0 == .connecting }
            try await loopback.pool.shutdown(deadline: .now()).get()
            #expect(budget.count == 1)
            hold.succeed()
            try await Dial.run(
                port: loopback.server.port,
                trust: loopback.authority.certificatePEM,
                budget: budget
            ) { dial in
                #expect(await dial.queue.send(HTTP2Request(id: 1, path: "/")).status == 200)
            }
        }
    }

    @Test("a peer that lowers its limit step by step gets no further connection", .timeLimit(.minutes(10)))
    func limitCut() async throws {
        var server = HTTP2ServerConfiguration()
        server.maxConcurrentStreams = 10
        var client = HTTP2ConnectionConfiguration()
        client.growthDelay = .zero
        try await Loopback.run(respond: Self.never, server: server, client: client) { loopback in
            var responses = loopback.submit(1)
            let (connection, _) = await loopback.application.events.opened()
            var last = await loopback.application.events.requests(1)[0]
            for limit in [5, 2, 1, 0, 1] as [UInt32] {
                connection.setMaxConcurrentStreams(limit)
                // SETTINGS reach the client before this response.
                last.stream.respond(HTTP2ServerResponse(status: 400))
                #expect(await responses.next().status == 400)
                responses = loopback.submit(20)
                if limit == 0 { connection.setMaxConcurrentStreams(1) }
                var left = 20
                while left > 0 {
                    for request in await loopback.application.events.requests(1) {
                        #expect(request.stream.connection.id == connection.id)
                        left -= 1
                        if left > 0 { request.stream.respond(HTTP2ServerResponse(status: 400)) } else { last = request }
                    }
                }
                #expect(await responses.take(19).allSatisfy { $0.status == 400 })
            }
            last.stream.respond(HTTP2ServerResponse(status: 200))
            #expect(await responses.next().status == 200)
        }
    }

    @Test("a connection to be replaced finishes its streams, and the others stay in use", .timeLimit(.minutes(10)))
    func replaces() async throws {
        var server = HTTP2ServerConfiguration()
        server.maxConcurrentStreams = 10
        var client = HTTP2ConnectionConfiguration()
        client.maximumConnections = 2
        try await Loopback.run(respond: Self.never, server: server, client: client) { loopback in
            let responses = loopback.submit(18)
            let byConnection = await arrived(18, loopback)
            #expect(byConnection.count == 2)
            let pool = loopback.pool
            try await pool.eventLoop.submit { pool.replace(connection: 1) }.get()
            _ = await loopback.state { $0 == .draining(.blamed) }
            for request in byConnection.values.joined() { request.stream.respond(HTTP2ServerResponse(status: 200)) }
            #expect(await responses.take(18).allSatisfy { $0.status == 200 })
            let more = loopback.submit(9)
            let later = await arrived(9, loopback)
            #expect(Set(later.values.joined().map(\.stream.connection.id)).isDisjoint(with: [1]))
            #expect(later.keys.contains { byConnection.keys.contains($0) })
            for request in later.values.joined() { request.stream.respond(HTTP2ServerResponse(status: 200)) }
            #expect(await more.take(9).allSatisfy { $0.status == 200 })
        }
    }

    @Test("connections that are no longer needed are closed, one is kept", .timeLimit(.minutes(10)))
    func shrinks() async throws {
        var server = HTTP2ServerConfiguration()
        server.maxConcurrentStreams = 10
        var client = HTTP2ConnectionConfiguration()
        client.shrinkDelay = .milliseconds(50)
        try await Loopback.run(respond: Self.never, server: server, client: client) { loopback in
            let responses = loopback.submit(30)
            let byConnection = await arrived(30, loopback)
            #expect(byConnection.count == 4)
            for request in byConnection.values.joined() { request.stream.respond(HTTP2ServerResponse(status: 200)) }
            #expect(await responses.take(30).allSatisfy { $0.status == 200 })
            for _ in 0..<3 { _ = await loopback.state { $0 == .draining(.spare) } }
            let more = loopback.submit(1)
            for request in await arrived(1, loopback).values.joined() {
                request.stream.respond(HTTP2ServerResponse(status: 200))
            }
            #expect(await more.take(1).allSatisfy { $0.status == 200 })
        }
    }
}
