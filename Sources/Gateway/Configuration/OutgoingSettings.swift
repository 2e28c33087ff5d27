import Configuration
import GuardedHTTP

/// The addresses that requests to tenants' URLs may reach: webhooks, JWK sets, token endpoints, endpoints of apps.
///
/// - `outgoing.allowPrivateAddresses` (true or false, default false)
/// - `outgoing.allowLoopback` (true or false, default false)
struct OutgoingSettings: Equatable {
    /// Whether they may reach addresses of private networks (RFC 1918, RFC 4193, RFC 6598).
    ///
    /// For sites whose back-ends or identity providers are in the gateway's network. If tenants set URLs themselves, it
    /// exposes that network to them.
    var allowsPrivateAddresses = false
    /// Whether they may reach this host by its loopback addresses, plain http included.
    ///
    /// The gateway's own ports are never reached.
    var allowsLoopback = false

    /// The defaults.
    init() {}

    /// Reads and checks; throws ``SettingsError``.
    init(config: ConfigReader) async throws {
        let reader = SettingsReader(config: config)
        allowsPrivateAddresses = try await reader.flag(
            .outgoingAllowPrivateAddresses,
            default: allowsPrivateAddresses
        )
        allowsLoopback = try await reader.flag(.outgoingAllowLoopback, default: allowsLoopback)
    }

    /// Makes the address policy for such requests; they never reach the ports that the gateway listens on.
    func policy(ownPorts: OwnPorts) -> AddressPolicy {
        AddressPolicy(allowsPrivate: allowsPrivateAddresses, allowsLoopback: allowsLoopback, ownPorts: ownPorts)
    }
}
