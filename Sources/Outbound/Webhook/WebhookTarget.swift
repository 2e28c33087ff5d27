package import GatewayModel

/// Where a brand's items go, with its secrets opened; lives for one try.
package struct WebhookTarget: Sendable {
    /// The brand.
    package var brand: BrandID
    /// When the brand was made: one made anew with the same id has other webhook ids.
    package var brandCreatedAt: Timestamp
    /// The receiver's address, as it was set.
    package var url: String
    /// What is posted; nil is everything.
    package var types: Set<OutboundType>?
    /// The keys that sign: the newest first, and the one before it while it signs too.
    package var keys: [[UInt8]]

    /// Takes where items go.
    ///
    /// - Parameters:
    ///   - brand: The brand.
    ///   - brandCreatedAt: When the brand was made.
    ///   - url: The receiver's address.
    ///   - types: What is posted; nil is everything.
    ///   - keys: The keys that sign, the newest first.
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

/// What the webhook service must be told about brands; implemented above it, where they are known.
package protocol WebhookDirectory: Sendable {
    /// The brands with a webhook.
    var brandsWithWebhook: [BrandID] { get }

    /// Where a brand's items go now.
    ///
    /// - Parameter brand: The brand.
    /// - Returns: Nil when it has no webhook.
    func target(of brand: BrandID) -> WebhookTarget?
}
