package import Logging
package import NIOCore
internal import NIOPosix
internal import Synchronization
package import TLS

/// An HTTP/2 server over TLS for simulators and tests: it speaks only `h2` and can simulate errors.
package final class HTTP2Server: Sendable {
    /// The open connections, so that shutdown can close them.
    private struct Connections {
        var last: UInt64 = 0
        var open: [UInt64: HTTP2ServerConnection] = [:]
        var isClosed = false
    }

    /// The listening port.
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
    ///   - application: The request handler; retained while the server listens.
    ///   - group: The loops that connections are spread over.
    ///   - logger: Only `debug` and `trace` are written.
    /// - Returns: The listening server.
    /// - Throws: The system's error of the bind.
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

    /// The open connections.
    ///
    /// Any thread.
    package var openConnections: [HTTP2ServerConnection] {
        connections.all
    }

    /// Stops listening and closes all connections gracefully, without waiting for streams.
    ///
    /// Any thread; calling twice is allowed.
    package func shutdown() async {
        for connection in connections.close() { connection.close() }
        channel.close(promise: nil)
        try? await channel.closeFuture.get()
    }
}
