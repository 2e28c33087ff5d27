package import GatewayModel

/// A helpdesk's webhook as it is stored; its settings are sealed because they hold secrets.
package struct StoredHook: Sendable, Equatable {
    /// The brand.
    package var brand: BrandID
    /// The webhook.
    package var id: HookID
    /// The JSON of `HookSettings`, sealed under the master key.
    package var sealedSettings: [UInt8]
    /// When it was last put.
    package var updatedAt: Timestamp
    /// Whether it sends consumers' messages back: then it has a ``WebhookState``.
    package var hasReply: Bool

    /// Creates a webhook.
    package init(
        brand: BrandID,
        id: HookID,
        sealedSettings: [UInt8],
        updatedAt: Timestamp,
        hasReply: Bool = false
    ) {
        self.brand = brand
        self.id = id
        self.sealedSettings = sealedSettings
        self.updatedAt = updatedAt
        self.hasReply = hasReply
    }
}
