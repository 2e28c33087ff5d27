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

    /// A brand's webhook after a change; only the one who is in the gate may call.
    func apply(
        _ change: WebhookChange,
        to current: WebhookSettings?,
        of brand: BrandID
    ) throws(DirectoryError) -> WebhookSettings? {
        switch change {
        case .keep: return current
        case .remove: return nil
        case .set(let url, let types, let secret):
            guard let secret else {
                guard var webhook = current else {
                    throw .invalid([SettingsProblem(pointer: "/settings/webhook/secret", detail: "is required")])
                }
                webhook.url = url
                webhook.types = types
                return webhook
            }
            if var webhook = current, try Self.open(webhook, of: brand, box).first == secret.key {
                webhook.url = url
                webhook.types = types
                return webhook
            }
            let until = clock.now.adding(seconds: WebhookSettings.previousSeconds).milliseconds
            return WebhookSettings(
                url: url,
                types: types,
                sealedSecret: try seal(secret.key, context: Self.sealingContext(webhookOf: brand)),
                secretFingerprint: SecretHash.fingerprint(secret.text),
                previous: current.map {
                    WebhookSettings.Previous(sealedSecret: $0.sealedSecret, untilMilliseconds: until)
                }
            )
        }
    }
}
