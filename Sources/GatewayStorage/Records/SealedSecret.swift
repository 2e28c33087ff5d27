package import GatewayModel

/// Something that the store keeps sealed under the master key, wherever it keeps it.
package struct SealedSecret: Sendable, Equatable {
    /// What it belongs to.
    package enum Owner: Sendable, Hashable {
        /// The settings of an app.
        case app(BrandID, AppID)
        /// The secret of a credential.
        case credential(BrandID, id: String)
        /// A key of a brand's webhook: the newest, or one of those before it.
        case webhook(BrandID)
    }

    /// What it belongs to.
    package var owner: Owner
    /// The sealed bytes.
    package var bytes: [UInt8]

    /// Takes what is stored.
    ///
    /// - Parameters:
    ///   - owner: What it belongs to.
    ///   - bytes: The sealed bytes.
    package init(owner: Owner, bytes: [UInt8]) {
        self.owner = owner
        self.bytes = bytes
    }
}

/// How much was sealed anew.
package struct ResealedCounts: Sendable, Equatable {
    /// Apps.
    package var apps = 0
    /// Credentials with a sealed secret.
    package var credentials = 0
    /// Keys of webhooks, the older ones of a brand included.
    package var webhookKeys = 0

    /// Everything.
    package var total: Int { apps + credentials + webhookKeys }

    /// Nothing yet.
    package init() {}
}
