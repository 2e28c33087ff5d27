package import Logging
package import NIOCore
internal import NIOPosix
internal import Synchronization

/// An HTTP/2 server over TLS for simulators and tests: it speaks `h2` only and can be told to misbehave.
package final class HTTP2Server: Sendable {
    /// Open connections, so that shutdown can end them.
    private struct Connections {
        var last: UInt64 = 0
        var open: [UInt64: HTTP2ServerConnection] = [:]
        var isClosed = false
    }

    /// The port that is listened on.
    package let port: Int

    private let channel: any Channel
    private let connections: Registry

    /// Guards the connections of one server.
    private final class Registry: Sendable {
        private let state = Mutex(Connections())

        func add(eventLoop: any EventLoop) -> HTTP2ServerConnection? {
            state.withLock { state in
                guard !state.isClosed else { return nil }
                state.last += 1
                let connection = HTTP2ServerConnection(id: state.last, eventLoop: eventLoop)
                state.open[state.last] = connection
                return connection
            }
        }

        func remove(_ id: UInt64) {
            _ = state.withLock { $0.open.removeValue(forKey: id) }
        }

        func close() -> [HTTP2ServerConnection] {
            state.withLock { state in
                state.isClosed = true
                return Array(state.open.values)
            }
        }

        var all: [HTTP2ServerConnection] {
            state.withLock { Array($0.open.values) }
        }
    }

    private init(channel: any Channel, port: Int, connections: Registry) {
        self.channel = channel
        self.port = port
        self.connections = connections
    }

    /// Listens.
    ///
    /// - Parameters:
    ///   - host: The address to listen on.
    ///   - port: The port; 0 lets the system choose.
    ///   - tls: Certificate and client certificate rules.
    ///   - configuration: First SETTINGS and limits.
    ///   - application: What answers; kept while the server listens.
    ///   - group: The loops that connections are spread over.
    ///   - logger: Only `debug` and `trace` are written.
    /// - Returns: The listening server.
    /// - Throws: What the system answered to the bind.
    package static func bind(
        host: String = "127.0.0.1",
        port: Int = 0,
        tls: TLSServerContext,
        configuration: HTTP2ServerConfiguration = HTTP2ServerConfiguration(),
        application: any HTTP2ServerApplication,
        group: any EventLoopGroup,
        logger: Logger
    ) async throws -> HTTP2Server {
        let registry = Registry()
        let channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let connection = registry.add(eventLoop: channel.eventLoop) else {
                        return channel.close(promise: nil)
                    }
                    let handler = try ServerConnectionHandler(
                        connection: connection,
                        application: application,
                        tls: tls,
                        configuration: configuration,
                        onClose: { id in registry.remove(id) }
                    )
                    if configuration.roundTrip > .zero {
                        let distance = DistanceHandler(roundTrip: configuration.roundTrip)
                        try channel.pipeline.syncOperations.addHandler(distance)
                    }
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
            .bind(host: host, port: port)
            .get()
        logger.debug("listening", metadata: ["http2.port": "\(channel.localAddress?.port ?? 0)"])
        return HTTP2Server(channel: channel, port: channel.localAddress?.port ?? port, connections: registry)
    }

    /// The connections that are open now.
    ///
    /// Any thread.
    package var openConnections: [HTTP2ServerConnection] {
        connections.all
    }

    /// Stops listening and ends all connections in order at once.
    ///
    /// Any thread; calling twice is allowed.
    package func shutdown() async {
        for connection in connections.close() { connection.close() }
        channel.close(promise: nil)
        try? await channel.closeFuture.get()
    }
}
