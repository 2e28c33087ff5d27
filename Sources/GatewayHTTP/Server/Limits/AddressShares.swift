internal import GatewayModel
internal import GuardedHTTP
internal import Logging
internal import Synchronization
internal import Telemetry

/// Determines the address for which a caller's resources are counted, and warns of proxies that name no client.
///
/// Usable from any thread.
final class AddressShares: Sendable {
    /// The interval of warnings of a proxy that names no client, in nanoseconds.
    static let warningInterval: UInt64 = 600_000_000_000

    /// The addresses that may report other clients: trusted proxies, and software on this host.
    private let proxies: [AddressRange]
    private let clock: any GatewayClock
    private let logger: Logger
    /// The time from which the next warning may be logged.
    private let nextWarning = Atomic<UInt64>(0)

    init(_ limits: ServerLimits, clock: any GatewayClock, logger: Logger) {
        proxies = limits.trustedProxies + limits.ownAddresses
        self.clock = clock
        self.logger = logger
    }

    /// Returns the share of a connection's remote address; nil for this host and for trusted proxies, which have no
    /// limit.
    func share(ofPeer peer: InternetAddress?) -> AddressShare? {
        guard let peer, !isProxy(peer) else { return nil }
        return AddressShare(peer)
    }

    /// Returns the share of a request or a window; nil for a caller on this host.
    ///
    /// - Parameters:
    ///   - client: The origin of the request.
    ///   - peer: The remote address of its connection.
    /// - Returns: The client's share, or the proxy's when it names no valid client.
    func share(of client: ClientAddress, peer: InternetAddress?) -> AddressShare? {
        guard case .remote(let client) = client, let peer = peer?.unmapped else { return nil }
        if client != peer || !isProxy(peer) { return AddressShare(client) }
        warn(of: peer)
        return AddressShare(peer, isUnnamedProxy: true)
    }

    private func isProxy(_ peer: InternetAddress) -> Bool { proxies.contains { $0.contains(peer) } }

    private func warn(of proxy: InternetAddress) {
        let now = clock.monotonicNanoseconds
        let due = nextWarning.load(ordering: .relaxed)
        let next = now + Self.warningInterval
        guard now >= due, nextWarning.compareExchange(expected: due, desired: next, ordering: .relaxed).exchanged else {
            return
        }
        logger.warning(
            "a proxy names no client in X-Forwarded-For; all callers behind it share half of one address's limits",
            metadata: [LogKey.peer: "\(proxy)"]
        )
    }
}
