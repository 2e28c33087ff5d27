/// The addresses that targets of tenants may lead to.
///
/// Such targets are webhooks, identity providers' URLs, and the endpoints of apps that a tenant set. This is the only place
/// where an address is judged.
package struct AddressPolicy: Sendable {
    /// Whether private networks may be reached.
    package let allowsPrivate: Bool
    /// Whether this host may be reached by its loopback addresses.
    package let allowsLoopback: Bool
    private let ownPorts: OwnPorts

    /// Takes a policy; the defaults allow public addresses only.
    ///
    /// - Parameters:
    ///   - allowsPrivate: Whether private networks may be reached.
    ///   - allowsLoopback: Whether this host may be reached by its loopback addresses.
    ///   - ownPorts: The ports that the gateway itself listens on.
    package init(allowsPrivate: Bool = false, allowsLoopback: Bool = false, ownPorts: OwnPorts = OwnPorts()) {
        self.allowsPrivate = allowsPrivate
        self.allowsLoopback = allowsLoopback
        self.ownPorts = ownPorts
    }

    /// Checks an address that a host names or resolved to; every address of a host must pass.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - port: The port to dial there.
    ///   - isLoopback: Whether the URL names this host itself; no other name may lead here.
    /// - Throws: ``GuardedURL/Refusal``.
    package func check(
        _ address: InternetAddress,
        port: UInt16,
        isLoopback: Bool
    ) throws(GuardedURL.Refusal) {
        switch AddressKind(address) {
        case .global where !isLoopback: break
        case .loopback where isLoopback && allowsLoopback: break
        case .privateNetwork where !isLoopback && allowsPrivate: break
        case .privateNetwork: throw GuardedURL.Refusal(text: "must not reach a private network")
        case .loopback where isLoopback:
            throw GuardedURL.Refusal(text: "must not reach this machine (outgoing.allowLoopback is off)")
        case .loopback: throw GuardedURL.Refusal(text: "must not reach this machine under another name")
        case .global, .special: throw GuardedURL.Refusal(text: "must not reach an address of this kind")
        }
        guard !ownPorts.contains(port, at: address) else {
            throw GuardedURL.Refusal(text: "must not reach the gateway itself")
        }
    }
}
