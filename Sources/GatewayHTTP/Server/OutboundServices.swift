package import GuardedHTTP
package import Outbound

/// What the routes of the outbound feed stand on.
package struct OutboundServices: Sendable {
    /// What readers wait for.
    package var bell: OutboundBell
    /// What webhooks, token endpoints and the like may reach.
    package var addresses: AddressPolicy
    /// Says that a webhook's mark was set back.
    package var webhookChanged: @Sendable () -> Void

    /// Takes everything; the defaults are a feed without webhooks.
    ///
    /// - Parameters:
    ///   - bell: What readers wait for.
    ///   - addresses: What webhooks, token endpoints and the like may reach.
    ///   - webhookChanged: Says that a webhook's mark was set back.
    package init(
        bell: OutboundBell = OutboundBell(),
        addresses: AddressPolicy = AddressPolicy(),
        webhookChanged: @escaping @Sendable () -> Void = {}
    ) {
        self.bell = bell
        self.addresses = addresses
        self.webhookChanged = webhookChanged
    }
}
