package import GatewayModel

extension Directory {
    /// The keys that sign a brand's webhook now: the newest, and the one before it while it signs too.
    ///
    /// - Parameter brand: The brand.
    /// - Returns: Empty when it has no webhook, or its secret does not open.
    package func webhookKeys(brand: BrandID) -> [[UInt8]] {
        guard let webhook = snapshot.brands[brand]?.webhook, var keys = try? Self.open(webhook, of: brand, box) else {
            return []
        }
        if let previous = webhook.previous, previous.untilMilliseconds <= clock.now.milliseconds { keys.removeLast() }
        return keys
    }

    /// A brand's webhook after a change, for ``createBrand(_:by:)`` and within ``updateBrand(_:by:_:)``; stores nothing.
    ///
    /// - Parameters:
    ///   - current: The webhook now.
    ///   - change: What changes.
    ///   - brand: The brand.
    /// - Returns: The webhook with its secret sealed, and the secret if it was made here: shown once and not kept.
    /// - Throws: ``DirectoryError/invalid(_:)`` when it would have no address; others when sealing fails.
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
            if var webhook = current {
                webhook.url = url
                webhook.types = types
                return (webhook, nil)
            }
            secret = WebhookSecret()
            made = secret
        case .renew:
            secret = WebhookSecret()
            made = secret
        }
        if var webhook = current, try Self.open(webhook, of: brand, box).first == secret.key {
            webhook.url = url
            webhook.types = types
            return (webhook, nil)
        }
        let until = clock.now.adding(seconds: WebhookSettings.previousSeconds).milliseconds
        let webhook = WebhookSettings(
            url: url,
            types: types,
            sealedSecret: try seal(secret.key, context: Self.sealingContext(webhookOf: brand)),
            secretFingerprint: SecretHash.fingerprint(secret.text),
            previous: current.map {
                WebhookSettings.Previous(sealedSecret: $0.sealedSecret, untilMilliseconds: until)
            }
        )
        return (webhook, made)
    }
}
