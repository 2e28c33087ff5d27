import HTTP2Connections
import NIOCore
import NIOPosix
import TLS
import TestSupport

/// A pool with a queue, connected to any port of this host.
struct Dial {
    let pool: HTTP2ConnectionPool
    let queue: HTTP2RequestQueue
    let states: Mailbox<HTTP2ConnectionState>

    /// Runs `body` and takes the pool down afterwards.
    static func run(
        port: Int,
        trust: [UInt8],
        serverName: String = "localhost",
        identity: TLSIdentity? = nil,
        configuration: HTTP2ConnectionConfiguration = HTTP2ConnectionConfiguration(),
        budget: HTTP2ConnectionBudget? = nil,
        proxy: HTTP2Proxy? = nil,
        limit: Int = 100,
        body: (Dial) async throws -> Void
    ) async throws {
        let states = Mailbox<HTTP2ConnectionState>()
        let queue = HTTP2RequestQueue(limit: limit) { states.put($0) }
        let pool = HTTP2ConnectionPool(
            target: HTTP2Target(host: "127.0.0.1", port: port, serverName: serverName),
            tls: try TLSClientContext(trustRootsPEM: trust, identity: identity),
            configuration: configuration,
            eventLoop: MultiThreadedEventLoopGroup.singleton.next(),
            source: queue,
            proxy: proxy,
            budget: budget,
            logger: Loopback.logger
        )
        queue.attach(pool)
        let dial = Dial(pool: pool, queue: queue, states: states)
        do {
            try await body(dial)
        } catch {
            try await pool.shutdown(deadline: .now()).get()
            queue.close()
            throw error
        }
        try await pool.shutdown(deadline: .now()).get()
        queue.close()
    }

    /// Waits for a failure.
    func failure() async -> HTTP2ConnectionFailure {
        while true {
            if case .failed(let failure) = await states.next() { return failure }
        }
    }

    /// Returns a closed port.
    static func freePort() async throws -> Int {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = channel.localAddress?.port ?? 0
        try await channel.close()
        return port
    }
}
