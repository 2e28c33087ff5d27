package import GuardedHTTP
package import Outbound

/// The services that the routes of the outbound feed use.
package struct OutboundServices: Sendable {
    /// The notifier that waiting readers use.
    package var notifier: FeedNotifier
    /// The policy for addresses of webhooks, token endpoints and the like.
    package var addresses: AddressPolicy
    /// Called when a webhook's mark was set back.
    package var webhookChanged: @Sendable () -> Void

    /// Creates the services; the defaults are a feed without webhooks.
    package init(
        notifier: FeedNotifier = FeedNotifier(),
        addresses: AddressPolicy = AddressPolicy(),
        webhookChanged: @escaping @Sendable () -> Void = {}
    ) {
        self.notifier = notifier
        self.addresses = addresses
        self.webhookChanged = webhookChanged
    }
}
