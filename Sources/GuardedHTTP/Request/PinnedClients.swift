internal import AsyncHTTPClient
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// The HTTP clients, each pinned to one address of one host.
///
/// A client serves one request at a time, and the most recently used ones are kept with their connection.
final class PinnedClients: Sendable {
    /// A client and the only address that it connects to.
    struct Pinned: Sendable {
        let host: String
        let address: InternetAddress
        let client: HTTPClient
        let connections: Connections
        /// Whether it connects through the outbound proxy.
        let isProxied: Bool

        /// Whether an error is from before its first connection, when only the proxy was connected.
        var isProxyDue: Bool { isProxied && !connections.wereMade }
    }

    /// The record of whether a client has ever had a connection; without one nothing can have been sent.
    final class Connections: Sendable {
        private let state = Mutex(false)

        var wereMade: Bool { state.withLock { $0 } }

        func made() { state.withLock { $0 = true } }
    }

    /// The connect timeout with several addresses: the others need time, too.
    private static let connectTimeout = TimeAmount.seconds(3)
    /// The connect timeout through a proxy, below the timeouts of requests, so that a slow proxy is reported as such.
    private static let proxyTimeout = TimeAmount.seconds(4)

    private struct State {
        /// The idle clients, least recently used first.
        var idle: [Pinned] = []
        var isClosed = false
    }

    private let configuration: HTTPClient.Configuration
    private let proxy: OutboundProxy?
    private let maxIdle: Int
    private let state = Mutex(State())

    init(configuration: HTTPClient.Configuration, proxy: OutboundProxy?, maxIdle: Int) {
        self.configuration = configuration
        self.proxy = proxy
        self.maxIdle = maxIdle
    }

    /// Returns a client for one of the addresses, which the caller must have checked just now.
    ///
    /// An idle one serves a first attempt only: a request that failed on a connection is tried on another. A proxy
    /// receives the address in place of the host's name. This host itself is never reached through it.
    func take(url: GuardedURL, addresses: [InternetAddress], attempt: Int) -> Pinned {
        let host = url.host
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
            // Another address is tried by the caller.
            configuration.connectionPool.retryConnectionEstablishment = false
        }
        let proxy = url.isLoopback || self.proxy?.isUsed(for: host) == false ? nil : self.proxy
        if let proxy {
            proxy.apply(to: &configuration)
            configuration.timeout.connect = min(configuration.timeout.connect ?? Self.proxyTimeout, Self.proxyTimeout)
        }
        let connections = Connections()
        let note: @Sendable (any Channel) -> EventLoopFuture<Void> = { channel in
            connections.made()
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        configuration.http1_1ConnectionDebugInitializer = note
        configuration.http2ConnectionDebugInitializer = note
        let client = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
        return Pinned(
            host: host,
            address: address,
            client: client,
            connections: connections,
            isProxied: proxy != nil
        )
    }

    /// Returns a client to the pool, or shuts it down if it is not to be kept.
    func release(_ client: Pinned) async {
        let ended = state.withLock { state in
            state.idle.append(client)
            let count = state.isClosed ? state.idle.count : max(0, state.idle.count - maxIdle)
            defer { state.idle.removeFirst(count) }
            return Array(state.idle.prefix(count))
        }
        for client in ended { try? await client.client.shutdown() }
    }

    /// Shuts all idle clients down, and from now on each that is returned.
    func close() async {
        let ended = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        for client in ended { try? await client.client.shutdown() }
    }
}
