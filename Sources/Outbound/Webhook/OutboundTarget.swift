package import GatewayModel
package import GatewayStorage

/// How the items of a receiver are posted, with its secrets opened; it lives for one attempt.
package protocol OutboundTarget: Sendable {
    /// The brand.
    var brand: BrandID { get }
    /// The types of the items to post; nil for all.
    var types: Set<OutboundType>? { get }
    /// The maximum of items in one request.
    var maxItems: Int { get }

    /// Returns whether an item of these types is posted; others are skipped.
    func takes(_ item: OutboundItem) -> Bool

    /// Returns the request for items that it takes, one or more, in order.
    ///
    /// If `hasGap`, earlier items were removed before the receiver had them.
    func request(for items: [OutboundItem], hasGap: Bool, at time: Timestamp) -> OutboundRequest

    /// Returns whether another target of the receiver is posted to in the same way.
    func hasSettings(of other: any OutboundTarget) -> Bool

    /// Returns whether a status means that the receiver never accepts these items, so that they are skipped.
    func isFinal(status: Int) -> Bool
}

/// A POST to a receiver.
package struct OutboundRequest: Sendable {
    /// The URL, not checked.
    package var url: String
    /// The header fields that differ from receiver to receiver.
    package var headers: [(name: String, value: String)]
    /// The JSON text.
    package var body: [UInt8]
}

extension WebhookDirectory {
    /// All receivers: the brands' webhooks, and the helpdesks of hooks that send consumers' messages back.
    var receivers: [OutboundReceiver] {
        brands.filter { $0.webhook != nil }.map { OutboundReceiver(brand: $0.id) } + replyingHooks
    }

    /// Returns the current target of a receiver; nil when there is no such receiver.
    func target(of receiver: OutboundReceiver) -> (any OutboundTarget)? {
        if let hook = receiver.hook {
            return reply(brand: receiver.brand, hook: hook).map { ReplyTarget(brand: receiver.brand, hook: hook, $0) }
        }
        guard let brand = self.brand(receiver.brand), let webhook = brand.webhook else { return nil }
        return WebhookTarget(
            brand: brand.id,
            brandCreatedAt: brand.createdAt,
            url: webhook.url,
            types: webhook.types.map(Set.init),
            keys: webhookKeys(brand: brand.id)
        )
    }
}
