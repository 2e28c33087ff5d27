import HTTP2Connections
import NIOCore
import NIOPosix
import Synchronization
import TLS
import TestSupport
import Testing

/// The behaviour of a connection with a misbehaving peer, over real sockets.
@Suite("Connection life")
struct ConnectionLifeTests {
    private static let never: TestApplication.Responder = { _ in nil }

    private static func server(streams: UInt32) -> HTTP2ServerConfiguration {
        var configuration = HTTP2ServerConfiguration()
        configuration.maxConcurrentStreams = streams
        return configuration
    }

    @Test("a lowered limit is obeyed, and a raised one used", .timeLimit(.minutes(10)))
    func settingsChange() async throws {
        let (server, client) = (Self.server(streams: 10), HTTP2ConnectionConfiguration.oneConnection)
        try await Loopback.run(respond: Self.never, server: server, client: client) { loopback in
            let responses = loopback.submit(40)
            let (connection, _) = await loopback.application.events.opened()
            let first = await loopback.application.events.requests(9)
            #expect(first.count == 9)
            #expect(loopback.pool.openStreams == 9)
            connection.setMaxConcurrentStreams(2)
            // SETTINGS reach the client before these responses: with 1 stream allowed, one request follows the last
            // response.
            for request in first { request.stream.respond(HTTP2ServerResponse(status: 200)) }
            _ = await responses.take(9)
            let second = await loopback.application.events.requests(1)
            #expect(second.count == 1)
            connection.setMaxConcurrentStreams(100)
            let rest = await loopback.application.events.requests(30)
            #expect(rest.count == 30)
            for request in second + rest { request.stream.respond(HTTP2ServerResponse(status: 200)) }
            #expect(await responses.take(31).allSatisfy { $0.status == 200 })
        }
    }

    @Test("a limit of zero makes the client wait until it is raised", .timeLimit(.minutes(10)))
    func zeroStreams() async throws {
        try await Loopback.run(server: Self.server(streams: 0)) { loopback in
            let responses = loopback.submit(5)
            let ready = await loopback.state { if case .ready = $0 { true } else { false } }
            guard case .ready(let facts) = ready else { return }
            #expect(facts.maxConcurrentStreams == 0)
            #expect(loopback.queue.depth == 5)
            let (connection, _) = await loopback.application.events.opened()
            connection.setMaxConcurrentStreams(1)
            #expect(await responses.take(5).allSatisfy { $0.status == 200 })
        }
    }

    @Test("only one stream is opened until a response other than 403 arrives", .timeLimit(.minutes(10)))
    func oneStreamUntilAccepted() async throws {
        var configuration = HTTP2ConnectionConfiguration()
        configuration.oneStreamUntilAccepted = true
        try await Loopback.run(respond: Self.never, client: configuration) { loopback in
            let responses = loopback.submit(10)
            let refused = await loopback.application.events.requests(1)
            #expect(refused.count == 1)
            refused[0].stream.respond(HTTP2ServerResponse(status: 403))
            let accepted = await loopback.application.events.requests(1)
            #expect(accepted.count == 1)
            accepted[0].stream.respond(HTTP2ServerResponse(status: 400))
            let rest = await loopback.application.events.requests(8)
            #expect(rest.count == 8)
            for request in rest { request.stream.respond(HTTP2ServerResponse(status: 200)) }
            #expect(
                await responses.take(10).compactMap(\.status).sorted() == [
                    200, 200, 200, 200, 200, 200, 200, 200, 400, 403,
                ]
            )
        }
    }

    @Test(
        "after GOAWAY the rest finishes, dropped requests are unprocessed, and new ones use another connection",
        .timeLimit(.minutes(10))
    )
    func goAway() async throws {
        try await Loopback.run(respond: Self.never) { loopback in
            let responses = loopback.submit(6)
            let requests = await loopback.application.events.requests(6)
            let connection = requests[0].stream.connection
            #expect(requests.map(\.stream.id) == [1, 3, 5, 7, 9, 11])
            connection.goAway(lastStreamID: 7, code: .noError, debugData: Array(#"{"reason":"Shutdown"}"#.utf8))
            let dropped = await responses.take(2)
            #expect(dropped.map(\.id) == [4, 5])
            #expect(dropped.allSatisfy { $0.failure == .unprocessed(.goAway(.noError)) })
            _ = await loopback.state { $0 == .draining(.goAway(.noError, reason: "Shutdown")) }
            let later = loopback.submit(1, path: "/later")
            let moved = await loopback.application.events.requests(1)
            #expect(moved[0].path == "/later")
            #expect(moved[0].stream.connection.id != connection.id)
            for request in requests.prefix(4) + moved { request.stream.respond(HTTP2ServerResponse(status: 200)) }
            #expect(await responses.take(4).allSatisfy { $0.status == 200 })
            #expect(await later.take(1).allSatisfy { $0.status == 200 })
            #expect(await loopback.application.events.closed().id == connection.id)
        }
    }

    @Test(
        "a reset shows whether the request may be sent again",
        .timeLimit(.minutes(10)),
        arguments: [
            (HTTP2ErrorCode.refusedStream, HTTP2RequestFailure.unprocessed(.reset(.refusedStream))),
            (.internalError, .unknown(.reset(.internalError))),
            (HTTP2ErrorCode(rawValue: 99), .unknown(.reset(HTTP2ErrorCode(rawValue: 99)))),
        ]
    )
    func reset(code: HTTP2ErrorCode, expected: HTTP2RequestFailure) async throws {
        try await Loopback.run(respond: Self.never) { loopback in
            let responses = loopback.submit(1)
            let requests = await loopback.application.events.requests(1)
            requests[0].stream.reset(code)
            #expect(await responses.next().failure == expected)
            // The connection stays open.
            let next = loopback.submit(1)
            let again = await loopback.application.events.requests(1)
            again[0].stream.respond(HTTP2ServerResponse(status: 200))
            #expect(await next.next().status == 200)
            #expect(again[0].stream.connection.id == requests[0].stream.connection.id)
        }
    }

    @Test(
        "a request without a response ends at its deadline, and a late response is ignored",
        .timeLimit(.minutes(10))
    )
    func deadline() async throws {
        try await Loopback.run(respond: Self.never) { loopback in
            // The connection first: waiting for it would use up the timeout too.
            let warm = loopback.submit(1)
            for request in await loopback.application.events.requests(1) {
                request.stream.respond(HTTP2ServerResponse(status: 200))
            }
            #expect(await warm.next().status == 200)
            let slow = loopback.submit(1, path: "/slow", timeout: .milliseconds(500))
            let patient = loopback.submit(1, path: "/patient")
            let requests = await loopback.application.events.requests(2)
            #expect(await slow.next().failure == .unknown(.deadline))
            for request in requests { request.stream.respond(HTTP2ServerResponse(status: 200, body: [1])) }
            #expect(await patient.next().status == 200)
            #expect(slow.pending.isEmpty)
        }
    }

    @Test("a reset connection fails sent requests as unknown and redials for waiting ones", .timeLimit(.minutes(10)))
    func abort() async throws {
        var configuration = HTTP2ConnectionConfiguration()
        configuration.backoffBase = .milliseconds(1)
        try await Loopback.run(
            respond: Self.never,
            server: Self.server(streams: 2),
            client: configuration
        ) { loopback in
            let responses = loopback.submit(2)
            let requests = await loopback.application.events.requests(1)
            requests[0].stream.connection.abort()
            #expect(await responses.next().failure == .unknown(.connectionLost))
            let (_, facts) = await loopback.application.events.opened()
            #expect(facts.isResumed)
            let again = await loopback.application.events.requests(1)
            #expect(again[0].stream.connection.id != requests[0].stream.connection.id)
            again[0].stream.respond(HTTP2ServerResponse(status: 200))
            #expect(await responses.next().status == 200)
        }
    }

    @Test("a graceful close by the server ends the connection without an error", .timeLimit(.minutes(10)))
    func serverCloses() async throws {
        try await Loopback.run { loopback in
            #expect(await loopback.queue.send(HTTP2Request(id: 1, path: "/")).status == 200)
            let (connection, _) = await loopback.application.events.opened()
            connection.close()
            let state = await loopback.state {
                switch $0 {
                case .failed, .closed: true
                default: false
                }
            }
            #expect(state == .closed)
            #expect(await loopback.queue.send(HTTP2Request(id: 2, path: "/")).status == 200)
        }
    }

    @Test("shutdown waits for open streams, then sends GOAWAY", .timeLimit(.minutes(10)))
    func shutdown() async throws {
        try await Loopback.run(respond: Self.never) { loopback in
            let responses = loopback.submit(1)
            let requests = await loopback.application.events.requests(1)
            let done = loopback.pool.shutdown(deadline: .now() + .seconds(30))
            _ = await loopback.state { $0 == .draining(.shutdown) }
            requests[0].stream.respond(HTTP2ServerResponse(status: 200))
            #expect(await responses.next().status == 200)
            try await done.get()
            // A second call completes too.
            try await loopback.pool.shutdown(deadline: .now()).get()
            #expect(await loopback.application.events.closed().id == requests[0].stream.connection.id)
        }
    }

    @Test("an idle connection closes and a later request dials again, resuming TLS", .timeLimit(.minutes(10)))
    func idle() async throws {
        var configuration = HTTP2ConnectionConfiguration()
        configuration.idleTimeout = .milliseconds(20)
        try await Loopback.run(client: configuration) { loopback in
            #expect(await loopback.queue.send(HTTP2Request(id: 1, path: "/")).status == 200)
            let (_, facts) = await loopback.application.events.opened()
            #expect(!facts.isResumed)
            _ = await loopback.state { $0 == .closed }
            #expect(await loopback.queue.send(HTTP2Request(id: 2, path: "/")).status == 200)
            let (_, again) = await loopback.application.events.opened()
            #expect(again.isResumed)
        }
    }

    @Test("an old connection is replaced without failing anything", .timeLimit(.minutes(10)))
    func age() async throws {
        var configuration = HTTP2ConnectionConfiguration()
        configuration.maximumAge = .milliseconds(30)
        try await Loopback.run(client: configuration) { loopback in
            var seen: Set<UInt64> = []
            while seen.count < 3 {
                #expect(await loopback.queue.send(HTTP2Request(id: 1, path: "/")).status == 200)
                if let request = await loopback.application.events.requests(1).first {
                    seen.insert(request.stream.connection.id)
                }
            }
        }
    }

    @Test("no request waits while the replacement of an aged connection is opened", .timeLimit(.minutes(10)))
    func replacement() async throws {
        var configuration = HTTP2ConnectionConfiguration()
        configuration.maximumAge = .milliseconds(30)
        configuration.setupTimeout = .hours(1)
        let hold = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)
        let isFirst = Mutex(true)
        let makeResolver: @Sendable (any EventLoop) -> any Resolver & Sendable = { eventLoop in
            let isHeld = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return !isFirst
            }
            return HeldResolver(eventLoop: eventLoop, hold: isHeld ? hold.futureResult : nil)
        }
        try await Loopback.run(client: configuration, makeResolver: makeResolver) { loopback in
            #expect(await loopback.queue.send(HTTP2Request(id: 1, path: "/")).status == 200)
            let (first, _) = await loopback.application.events.opened()
            _ = await loopback.state { if case .ready = $0 { true } else { false } }
            let next = await loopback.states.next()
            if next == .connecting {
                #expect(await loopback.queue.send(HTTP2Request(id: 2, path: "/late")).status == 200)
                let requests = await loopback.application.events.requests(2)
                #expect(requests.allSatisfy { $0.stream.connection.id == first.id })
            } else {
                Issue.record("\(next) before the other was made")
            }
            hold.succeed()
            _ = await loopback.state { $0 == .draining(.age) }
            #expect(await loopback.queue.send(HTTP2Request(id: 3, path: "/")).status == 200)
        }
    }

    @Test("running out of stream ids switches to the next connection", .timeLimit(.minutes(10)))
    func streamIDs() async throws {
        var configuration = HTTP2ConnectionConfiguration()
        configuration.lastStreamID = 9
        try await Loopback.run(client: configuration) { loopback in
            #expect(await loopback.submit(12).take(12).allSatisfy { $0.status == 200 })
            let requests = await loopback.application.events.requests(12)
            #expect(requests.allSatisfy { $0.stream.id <= 9 })
            #expect(Set(requests.map(\.stream.connection.id)).count == 3)
        }
    }

    @Test("a silent peer fails the setup, not the program", .timeLimit(.minutes(10)))
    func mutePeer() async throws {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        var configuration = HTTP2ConnectionConfiguration()
        configuration.setupTimeout = .milliseconds(100)
        let authority = try TestAuthority()
        try await Dial.run(
            port: listener.localAddress?.port ?? 0,
            trust: authority.certificatePEM,
            configuration: configuration
        ) { dial in
            let responses = Responses()
            #expect(
                dial.queue.submit(HTTP2Request(id: 1, path: "/", timeout: .milliseconds(300))) { responses.put($0) }
            )
            #expect(await dial.failure() == .setupTimedOut)
            #expect(await responses.next().failure == .unprocessed(.deadline))
        }
        try await listener.close()
    }

    @Test("a refused connection is reported and waiting requests end at their deadlines", .timeLimit(.minutes(10)))
    func refusedConnection() async throws {
        let authority = try TestAuthority()
        // No service has this port, and no test gets it by chance.
        try await Dial.run(port: 1, trust: authority.certificatePEM) { dial in
            let responses = Responses()
            #expect(
                dial.queue.submit(HTTP2Request(id: 1, path: "/", timeout: .milliseconds(50))) { responses.put($0) }
            )
            #expect(await dial.failure().label == "unreachable")
            #expect(await responses.next().failure == .unprocessed(.deadline))
        }
    }

    @Test("a certificate for another name fails the connection and sends nothing", .timeLimit(.minutes(10)))
    func wrongName() async throws {
        try await Loopback.run { loopback in
            try await Dial.run(
                port: loopback.server.port,
                trust: loopback.authority.certificatePEM,
                serverName: "push.example"
            ) { dial in
                _ = dial.queue.submit(HTTP2Request(id: 1, path: "/")) { _ in }
                #expect(await dial.failure() == .tls(.certificate("hostname mismatch")))
                #expect(dial.queue.depth == 1)
            }
        }
    }

    @Test("many times 64 KB are sent in one burst when the peer's windows allow it", .timeLimit(.minutes(10)))
    func burst() async throws {
        var (server, client) = (HTTP2ServerConfiguration(), HTTP2ConnectionConfiguration.oneConnection)
        server.connectionWindowSize = 1 << 24
        // Nothing arrives that could start another round: no response, no window update.
        server.windowUpdateDelay = .hours(1)
        client.pingInterval = .hours(1)
        try await Loopback.run(respond: Self.never, server: server, client: client) { loopback in
            let responses = loopback.submit(300, body: Array(repeating: 1, count: 4000))
            let requests = await loopback.application.events.requests(300)
            for request in requests { request.stream.respond(HTTP2ServerResponse(status: 200)) }
            #expect(await responses.take(300).allSatisfy { $0.status == 200 })
        }
    }

    @Test("bodies larger than every window arrive complete", .timeLimit(.minutes(10)))
    func flowControl() async throws {
        var configuration = HTTP2ServerConfiguration()
        configuration.initialWindowSize = 1000
        let count: TestApplication.Responder = {
            HTTP2ServerResponse(status: 200, body: Array("\($0.body.count)".utf8))
        }
        try await Loopback.run(respond: count, server: configuration) { loopback in
            let responses = await loopback.submit(40, body: Array(repeating: 1, count: 60_000)).take(40)
            for response in responses {
                guard case .response(_, _, let body) = response.result else {
                    Issue.record("\(response)")
                    continue
                }
                #expect(String(decoding: body, as: UTF8.self) == "60000")
            }
        }
    }
}
