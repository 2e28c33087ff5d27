package import GatewayModel

/// A secret that the store holds sealed under the master key, in any table.
package struct SealedSecret: Sendable, Equatable {
    /// The owner of a secret.
    package enum Owner: Sendable, Hashable {
        /// The settings of an app.
        case app(BrandID, AppID)
        /// The secret of a credential.
        case credential(BrandID, id: String)
        /// A key of a brand's webhook: the newest, or an earlier one.
        case webhook(BrandID)
        /// The settings of a helpdesk's webhook.
        case hook(BrandID, HookID)
    }

    /// The owner.
    package var owner: Owner
    /// The sealed bytes.
    package var bytes: [UInt8]

    /// Creates a secret.
    package init(owner: Owner, bytes: [UInt8]) {
        self.owner = owner
        self.bytes = bytes
    }
}

/// The numbers of secrets that were sealed again.
package struct ResealedCounts: Sendable, Equatable {
    /// Apps.
    package var apps = 0
    /// Credentials with a sealed secret.
    package var credentials = 0
    /// Keys of webhooks, a brand's earlier ones included.
    package var webhookKeys = 0
    /// Webhooks of helpdesks.
    package var hooks = 0

    /// All secrets.
    package var total: Int { apps + credentials + webhookKeys + hooks }

    /// Creates zero counts.
    package init() {}
}
