internal import GatewayModel
internal import Identity

/// The body that changes a brand: a merge patch (RFC 7396).
///
/// A member that is absent stays, a setting that is null takes its default.
struct BrandPatch: Decodable {
    private enum CodingKeys: String, CodingKey {
        case name, settings
    }

    private enum SettingsKeys: String, CodingKey, CaseIterable {
        case preview, presence, suppressWhileWindowOpen, messageTtlSeconds, retentionDays, sessionTtlSeconds
        case dedupeHours, anonymousConsumers, singleDevice
    }

    private let name: String?
    /// The settings as they came over the defaults, and which of them came.
    private let settings: BrandSettings
    private let named: Set<SettingsKeys>
    private let webhook: WebhookMember

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decodeIfPresent(String.self, forKey: .name)
        settings = try container.decodeIfPresent(BrandSettings.self, forKey: .settings) ?? BrandSettings()
        // The whole of the settings as null removes the webhook too.
        webhook =
            try container.decodeIfPresent(WebhookMember.self, forKey: .settings)
            ?? (container.contains(.settings) ? .null : .absent)
        if container.contains(.settings), try !container.decodeNil(forKey: .settings) {
            let members = try container.nestedContainer(keyedBy: SettingsKeys.self, forKey: .settings)
            named = Set(members.allKeys)
        } else {
            // The whole of the settings as null is the defaults; not named at all is no change.
            named = container.contains(.settings) ? Set(SettingsKeys.allCases) : []
        }
    }

    /// The brand as it will be; throws 422.
    func apply(
        to brand: Brand,
        allowsPrivate: Bool
    ) throws(Problem) -> (brand: Brand, webhook: WebhookChange, secret: WebhookSecret?) {
        var brand = brand
        var checks = FieldChecks()
        brand.name = checks.line(name, "/name", atMost: BrandBody.maxNameBytes) ?? brand.name
        let (change, made) = webhook.change(of: brand.webhook, allowsPrivate: allowsPrivate, &checks)
        try checks.finish()
        for key in named {
            switch key {
            case .preview: brand.settings.preview = settings.preview
            case .presence: brand.settings.presence = settings.presence
            case .suppressWhileWindowOpen: brand.settings.suppressWhileWindowOpen = settings.suppressWhileWindowOpen
            case .messageTtlSeconds: brand.settings.messageTtlSeconds = settings.messageTtlSeconds
            case .retentionDays: brand.settings.retentionDays = settings.retentionDays
            case .sessionTtlSeconds: brand.settings.sessionTtlSeconds = settings.sessionTtlSeconds
            case .dedupeHours: brand.settings.dedupeHours = settings.dedupeHours
            case .anonymousConsumers: brand.settings.anonymousConsumers = settings.anonymousConsumers
            case .singleDevice: brand.settings.singleDevice = settings.singleDevice
            }
        }
        return (brand, change, made)
    }
}
