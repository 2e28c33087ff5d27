internal import AsyncHTTPClient
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// Clients that know one address for one host each; one is used by one request at a time, and the last few that were used are
/// kept with their connection.
final class PinnedClients: Sendable {
    /// A client with the only address that it dials.
    struct Pinned: Sendable {
        let host: String
        let address: InternetAddress
        let client: HTTPClient
        let connections: Connections
    }

    /// Whether a client has ever had a connection; without one nothing can have been sent.
    final class Connections: Sendable {
        private let state = Mutex(false)

        var wereMade: Bool { state.withLock { $0 } }

        func made() { state.withLock { $0 = true } }
    }

    /// For the connection to one of several addresses: the others need time, too.
    private static let connectTimeout = TimeAmount.seconds(3)

    private struct State {
        /// Those that nobody uses, the longest unused first.
        var idle: [Pinned] = []
        var isClosed = false
    }

    private let configuration: HTTPClient.Configuration
    private let maxIdle: Int
    private let state = Mutex(State())

    init(configuration: HTTPClient.Configuration, maxIdle: Int) {
        self.configuration = configuration
        self.maxIdle = maxIdle
    }

    /// Takes a client for one of the addresses, which must have been checked just now.
    ///
    /// One that is kept serves a first try only: what failed on a connection is tried on another.
    func take(host: String, addresses: [InternetAddress], attempt: Int) -> Pinned {
        let known: Pinned? = state.withLock { state in
            guard attempt == 0,
                let index = state.idle.lastIndex(where: { $0.host == host && addresses.contains($0.address) })
            else { return nil }
            return state.idle.remove(at: index)
        }
        if let known { return known }
        let address = addresses[attempt % addresses.count]
        var configuration = configuration
        configuration.dnsOverride = [host: address.description]
        if addresses.count > 1 {
            let timeout = configuration.timeout.connect ?? Self.connectTimeout
            configuration.timeout.connect = min(timeout, Self.connectTimeout)
            // The next address is the next try.
            configuration.connectionPool.retryConnectionEstablishment = false
        }
        let connections = Connections()
        let note: @Sendable (any Channel) -> EventLoopFuture<Void> = { channel in
            connections.made()
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        configuration.http1_1ConnectionDebugInitializer = note
        configuration.http2ConnectionDebugInitializer = note
        let client = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
        return Pinned(host: host, address: address, client: client, connections: connections)
    }

    /// Gives a client back; ends what is not to be kept.
    func give(back client: Pinned) async {
        let ended = state.withLock { state in
            state.idle.append(client)
            let count = state.isClosed ? state.idle.count : max(0, state.idle.count - maxIdle)
            defer { state.idle.removeFirst(count) }
            return Array(state.idle.prefix(count))
        }
        for client in ended { try? await client.client.shutdown() }
    }

    /// Ends all that are kept, and from now on each that is given back.
    func close() async {
        let ended = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        for client in ended { try? await client.client.shutdown() }
    }
}
