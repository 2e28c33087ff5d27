internal import GatewayModel

/// A brand in a response.
struct BrandResponse: Encodable {
    var id: String
    var name: String
    var settings: SettingsResponse
    var createdAt: String

    init(_ brand: Brand, secret: String? = nil) {
        id = brand.id.rawValue
        name = brand.name
        settings = SettingsResponse(settings: brand.settings, webhook: brand.webhook, secret: secret)
        createdAt = brand.createdAt.rfc3339
    }
}

/// A brand's settings in a response; the webhook's secret appears as a fingerprint, except once after it was set.
struct SettingsResponse: Encodable {
    var settings: BrandSettings
    var webhook: WebhookSettings?
    var secret: String?

    private enum CodingKeys: String, CodingKey {
        case webhook
    }

    private struct Webhook: Encodable {
        var url: String
        var types: [OutboundType]?
        var secret: String?
        var secretFingerprint: String
        /// The time until which the previous secret signs too.
        var previousSecretUntil: String?
    }

    func encode(to encoder: any Encoder) throws {
        try settings.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(
            webhook.map {
                Webhook(
                    url: $0.url,
                    types: $0.types,
                    secret: secret,
                    secretFingerprint: $0.secretFingerprint,
                    previousSecretUntil: $0.previous.first.map {
                        Timestamp(milliseconds: $0.untilMilliseconds).rfc3339
                    }
                )
            },
            forKey: .webhook
        )
    }
}

/// A page of encodable items.
struct PageResponse<Item: Encodable>: Encodable {
    var items: [Item]
    var nextCursor: String?

    private enum CodingKeys: String, CodingKey {
        case items, nextCursor
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(items, forKey: .items)
        // Present and null on the last page.
        try container.encode(nextCursor, forKey: .nextCursor)
    }
}
