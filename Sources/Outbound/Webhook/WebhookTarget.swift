package import GatewayModel
package import GatewayStorage

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

extension WebhookTarget: OutboundTarget {
    /// The size of a batch.
    package var maxItems: Int { WebhookBatch.maxItems }

    /// Returns true: the types are all that selects items.
    package func takes(_: OutboundItem) -> Bool { true }

    /// Returns the request of a batch, signed.
    package func request(for items: [OutboundItem], hasGap: Bool, at time: Timestamp) -> OutboundRequest {
        let batch = WebhookBatch(target: self, items: items, hasGap: hasGap)
        return OutboundRequest(
            url: url,
            headers: WebhookSignature.headers(id: batch.id, body: batch.body, at: time, keys: keys),
            body: batch.body
        )
    }

    /// Returns false: the receiver gets everything, or is switched off.
    package func isFinal(status _: Int) -> Bool { false }

    /// Returns whether the URL, the types and the newest key are the same: the previous key ends by itself.
    package func hasSettings(of other: any OutboundTarget) -> Bool {
        guard let other = other as? WebhookTarget else { return false }
        return url.utf8.elementsEqual(other.url.utf8) && types == other.types && keys.first == other.keys.first
    }
}
