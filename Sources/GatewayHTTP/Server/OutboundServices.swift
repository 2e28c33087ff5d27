package import Outbound

/// What the routes of the outbound feed stand on.
package struct OutboundServices: Sendable {
    /// What readers wait for.
    package var bell: OutboundBell
    /// Whether webhooks, token endpoints and the like may be in private networks.
    package var allowsPrivateAddresses: Bool
    /// Says that a webhook's mark was set back.
    package var webhookChanged: @Sendable () -> Void

    /// Takes everything; the defaults are a feed without webhooks.
    ///
    /// - Parameters:
    ///   - bell: What readers wait for.
    ///   - allowsPrivateAddresses: Whether webhooks, token endpoints and the like may be in private networks.
    ///   - webhookChanged: Says that a webhook's mark was set back.
    package init(
        bell: OutboundBell = OutboundBell(),
        allowsPrivateAddresses: Bool = false,
        webhookChanged: @escaping @Sendable () -> Void = {}
    ) {
        self.bell = bell
        self.allowsPrivateAddresses = allowsPrivateAddresses
        self.webhookChanged = webhookChanged
    }
}
