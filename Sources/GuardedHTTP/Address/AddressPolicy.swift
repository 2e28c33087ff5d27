/// The policy for the addresses of URLs that tenants set.
///
/// Such URLs are webhooks, identity providers' URLs, and the endpoints of apps that a tenant set. All of them are
/// checked here and nowhere else.
package struct AddressPolicy: Sendable {
    /// Whether private networks are allowed.
    package let allowsPrivate: Bool
    /// Whether loopback addresses of this host are allowed.
    package let allowsLoopback: Bool
    private let ownPorts: OwnPorts

    /// Creates a policy; the defaults allow public addresses only.
    package init(allowsPrivate: Bool = false, allowsLoopback: Bool = false, ownPorts: OwnPorts = OwnPorts()) {
        self.allowsPrivate = allowsPrivate
        self.allowsLoopback = allowsLoopback
        self.ownPorts = ownPorts
    }

    /// Checks an address that a host is or resolved to; all addresses of a host must pass.
    ///
    /// If `isLoopback`, the URL names this host itself; no other name may resolve to it.
    package func check(
        _ address: InternetAddress,
        port: UInt16,
        isLoopback: Bool
    ) throws(GuardedURL.Rejection) {
        switch AddressKind(address) {
        case .global where !isLoopback: break
        case .loopback where isLoopback && allowsLoopback: break
        case .privateNetwork where !isLoopback && allowsPrivate: break
        case .privateNetwork: throw GuardedURL.Rejection(text: "must not reach a private network")
        case .loopback where isLoopback:
            throw GuardedURL.Rejection(text: "must not reach this host (outgoing.allowLoopback is off)")
        case .loopback: throw GuardedURL.Rejection(text: "must not reach this host under another name")
        case .global, .special: throw GuardedURL.Rejection(text: "must not reach an address of this kind")
        }
        guard !ownPorts.contains(port, at: address) else {
            throw GuardedURL.Rejection(text: "must not reach the gateway itself")
        }
    }
}
