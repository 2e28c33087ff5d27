/// A receiver to which a brand's outbound items are posted: the brand's webhook, or the helpdesk of one of its hooks.
package struct OutboundReceiver: Hashable, Sendable {
    /// The brand.
    package var brand: BrandID
    /// The hook whose helpdesk gets consumers' messages; nil for the brand's webhook.
    package var hook: HookID?

    /// Creates a receiver.
    package init(brand: BrandID, hook: HookID? = nil) {
        self.brand = brand
        self.hook = hook
    }
}
