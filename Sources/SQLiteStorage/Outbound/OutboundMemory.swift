import GatewayModel

/// The writer's memory of outbound feeds, so that a brand without readers costs a lookup in a small set.
struct OutboundMemory {
    /// Brands with a subscription or a webhook, by key.
    var readers: [Int64: BrandID]
    /// The next position of brands with new items.
    var next: [Int64: Int64] = [:]
}
