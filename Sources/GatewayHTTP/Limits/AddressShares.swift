internal import GatewayModel
internal import GuardedHTTP
internal import Logging
internal import Synchronization
internal import Telemetry

/// Finds the address by which what a caller holds is counted, and warns of proxies that name no client; any thread.
final class AddressShares: Sendable {
    /// How often a proxy that names no client is warned of, in nanoseconds.
    static let warningInterval: UInt64 = 600_000_000_000

    /// The addresses that may speak for others: trusted proxies, and what runs on this machine.
    private let proxies: [AddressRange]
    private let clock: any GatewayClock
    private let logger: Logger
    /// When the next warning may be logged.
    private let nextWarning = Atomic<UInt64>(0)

    init(_ limits: ServerLimits, clock: any GatewayClock, logger: Logger) {
        proxies = limits.trustedProxies + limits.ownAddresses
        self.clock = clock
        self.logger = logger
    }

    /// The share of a connection's other end; nil for this machine and for trusted proxies, which have none.
    func share(ofPeer peer: InternetAddress?) -> AddressShare? {
        guard let peer, !isProxy(peer) else { return nil }
        return AddressShare(peer)
    }

    /// The share of a request or a window; nil for a caller on this machine.
    ///
    /// - Parameters:
    ///   - client: Where it comes from.
    ///   - peer: The other end of its connection.
    /// - Returns: The client's, or the proxy's if that names no client that can be read.
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
            "a proxy names no client in X-Forwarded-For: all callers behind it share half of one address's limits",
            metadata: [LogKey.peer: "\(proxy)"]
        )
    }
}
