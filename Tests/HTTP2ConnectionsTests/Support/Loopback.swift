import HTTP2Connections
import Logging
import NIOCore
import NIOPosix
import TLS
import TestSupport

/// A server and a pool, connected over a real socket with real TLS.
struct Loopback {
    let server: HTTP2Server
    let application: TestApplication
    let authority: TestAuthority
    let pool: HTTP2ConnectionPool
    let queue: HTTP2RequestQueue
    let states: Mailbox<HTTP2ConnectionState>

    static let logger = Logger(label: "http2.tests") { _ in SwiftLogNoOpLogHandler() }

    /// Runs `body` with both sides and shuts them down afterwards.
    static func run(
        respond: TestApplication.Responder? = { _ in HTTP2ServerResponse(status: 200) },
        server serverConfiguration: HTTP2ServerConfiguration = HTTP2ServerConfiguration(),
        client clientConfiguration: HTTP2ConnectionConfiguration = HTTP2ConnectionConfiguration(),
        budget: HTTP2ConnectionBudget? = nil,
        makeResolver: (@Sendable (any EventLoop) -> any Resolver & Sendable)? = nil,
        proxy: HTTP2Proxy? = nil,
        limit: Int = 10_000,
        body: (Loopback) async throws -> Void
    ) async throws {
        let authority = try TestAuthority()
        let application = TestApplication(respond: respond)
        let server = try await HTTP2Server.bind(
            tls: try TLSServerContext(identity: try authority.issue()),
            configuration: serverConfiguration,
            application: application,
            group: MultiThreadedEventLoopGroup.singleton,
            logger: logger
        )
        let states = Mailbox<HTTP2ConnectionState>()
        let queue = HTTP2RequestQueue(limit: limit) { states.put($0) }
        let pool = HTTP2ConnectionPool(
            target: HTTP2Target(host: "127.0.0.1", port: server.port, serverName: "localhost"),
            tls: try TLSClientContext(trustRootsPEM: authority.certificatePEM),
            configuration: clientConfiguration,
            eventLoop: MultiThreadedEventLoopGroup.singleton.next(),
            source: queue,
            makeResolver: makeResolver,
            proxy: proxy,
            budget: budget,
            logger: logger
        )
        queue.attach(pool)
        let loopback = Loopback(
            server: server,
            application: application,
            authority: authority,
            pool: pool,
            queue: queue,
            states: states
        )
        let result = await Result { try await body(loopback) }
        try await pool.shutdown(deadline: .now()).get()
        queue.close()
        await server.shutdown()
        try result.get()
    }

    /// Submits requests without waiting for their responses.
    func submit(_ count: Int, path: String = "/", body: [UInt8] = [1], timeout: TimeAmount = .seconds(30)) -> Responses
    {
        let responses = Responses()
        for index in 0..<count {
            let request = HTTP2Request(id: UInt64(index), path: path, body: body, timeout: timeout)
            if !queue.submit(request, completion: { responses.put($0) }) {
                responses.put(HTTP2Response(id: UInt64(index), result: .failure(.unprocessed(.queueFull))))
            }
        }
        return responses
    }

    /// Waits for a state.
    func state(_ matches: (HTTP2ConnectionState) -> Bool) async -> HTTP2ConnectionState {
        while true {
            let state = await states.next()
            if matches(state) { return state }
        }
    }
}

extension HTTP2ConnectionConfiguration {
    /// A configuration with one connection.
    static var oneConnection: Self {
        var configuration = Self()
        configuration.maximumConnections = 1
        return configuration
    }
}

typealias Responses = Mailbox<HTTP2Response>

extension Result where Failure == any Error {
    fileprivate init(catching body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
