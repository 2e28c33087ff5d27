import GatewayModel

/// What the writer remembers of outbound feeds, so that a brand that nobody reads costs a look-up in a small set.
struct OutboundMemory {
    /// Brands with a subscription or a webhook, by key.
    var readers: [Int64: BrandID]
    /// The next position of brands that were told something.
    var next: [Int64: Int64] = [:]
}
