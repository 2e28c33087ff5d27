package import GatewayModel

extension Directory {
    /// Returns the keys that sign a brand's webhook now: the newest, then the previous ones while they are valid; empty
    /// when it has no webhook, or its secret does not open.
    package func webhookKeys(brand: BrandID) -> [[UInt8]] {
        guard var webhook = snapshot.brands[brand]?.webhook else { return [] }
        webhook.previous = previous(of: webhook)
        return (try? Self.open(webhook, of: brand, box)) ?? []
    }

    /// Returns a brand's webhook after a change, for ``createBrand(_:by:)`` and within ``updateBrand(_:by:_:)``; stores
    /// nothing.
    ///
    /// - Parameters:
    ///   - current: The current webhook.
    ///   - change: The change.
    ///   - brand: The brand.
    /// - Returns: The webhook with its secret sealed, and the secret if it was generated here: it is shown once and not
    ///   stored.
    /// - Throws: ``DirectoryError/invalid(_:)`` when it would have no URL; others when sealing fails.
    package func webhook(
        _ current: WebhookSettings?,
        changedBy change: WebhookChange,
        of brand: BrandID
    ) throws(DirectoryError) -> (webhook: WebhookSettings?, made: WebhookSecret?) {
        guard case .edit(let edit) = change else { return (nil, nil) }
        guard let url = edit.url ?? current?.url else {
            throw .invalid([SettingsProblem(pointer: "/settings/webhook/url", detail: "is required")])
        }
        let types = edit.types ?? current?.types
        var made: WebhookSecret?
        let secret: WebhookSecret
        switch edit.secret {
        case .given(let given): secret = given
        case .keep:
            if let current { return (changed(current, url, types), nil) }
            secret = WebhookSecret()
            made = secret
        case .renew:
            secret = WebhookSecret()
            made = secret
        }
        if let current, try Self.open(current, of: brand, box).first == secret.key {
            return (changed(current, url, types), nil)
        }
        let until = clock.now.adding(seconds: WebhookSettings.previousSeconds).milliseconds
        let replaced = current.map { WebhookSettings.Previous(sealedSecret: $0.sealedSecret, untilMilliseconds: until) }
        let older = current.map { previous(of: $0) } ?? []
        let webhook = WebhookSettings(
            url: url,
            types: types,
            sealedSecret: try seal(secret.key, context: Self.sealingContext(webhookOf: brand)),
            secretFingerprint: SecretHash.fingerprint(secret.text),
            previous: Array(([replaced].compactMap(\.self) + older).prefix(WebhookSettings.maxPrevious)),
            setMilliseconds: clock.now.milliseconds
        )
        return (webhook, made)
    }

    private func changed(_ webhook: WebhookSettings, _ url: String, _ types: [OutboundType]?) -> WebhookSettings {
        var webhook = webhook
        webhook.url = url
        webhook.types = types
        webhook.previous = previous(of: webhook)
        webhook.setMilliseconds = clock.now.milliseconds
        return webhook
    }

    /// Returns the replaced secrets that still sign.
    private func previous(of webhook: WebhookSettings) -> [WebhookSettings.Previous] {
        let now = clock.now.milliseconds
        return webhook.previous.filter { $0.untilMilliseconds > now }
    }
}
