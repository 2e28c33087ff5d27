/// The brands, their webhooks and the replies of their hooks, as the webhook service reads them; callable from any
/// thread.
package protocol WebhookDirectory: Sendable {
    /// All brands.
    var brands: [Brand] { get }

    /// Returns a brand; nil when there is none.
    func brand(_ id: BrandID) -> Brand?

    /// Returns the keys that sign a brand's webhook now: the newest, then the previous ones while they are valid; empty
    /// when it has no webhook, or its secret does not open.
    func webhookKeys(brand: BrandID) -> [[UInt8]]

    /// The hooks that send consumers' messages back, of all brands.
    var replyingHooks: [OutboundReceiver] { get }

    /// Returns where a hook sends consumers' messages; nil when it does not.
    func reply(brand: BrandID, hook: HookID) -> HookSettings.Reply?
}
