package import GatewayModel

/// The target of a brand's items, with its secrets opened; it lives for one attempt.
package struct WebhookTarget: Sendable {
    /// The brand.
    package var brand: BrandID
    /// The creation time of the brand: a brand that is deleted and created again with the same id has other webhook
    /// ids.
    package var brandCreatedAt: Timestamp
    /// The receiver's URL, as it was set.
    package var url: String
    /// The types of the items to post; nil for all.
    package var types: Set<OutboundType>?
    /// The keys that sign: the newest first, then the previous one while it is still valid.
    package var keys: [[UInt8]]

    /// Creates a target.
    package init(
        brand: BrandID,
        brandCreatedAt: Timestamp,
        url: String,
        types: Set<OutboundType>?,
        keys: [[UInt8]]
    ) {
        self.brand = brand
        self.brandCreatedAt = brandCreatedAt
        self.url = url
        self.types = types
        self.keys = keys
    }
}

extension WebhookDirectory {
    /// The brands with a webhook.
    var brandsWithWebhook: [BrandID] { brands.filter { $0.webhook != nil }.map(\.id) }

    /// Returns the current target of a brand's items; nil when it has no webhook.
    func target(of brand: BrandID) -> WebhookTarget? {
        guard let brand = self.brand(brand), let webhook = brand.webhook else { return nil }
        return WebhookTarget(
            brand: brand.id,
            brandCreatedAt: brand.createdAt,
            url: webhook.url,
            types: webhook.types.map(Set.init),
            keys: webhookKeys(brand: brand.id)
        )
    }
}
