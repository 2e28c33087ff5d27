internal import GatewayModel
internal import Identity
internal import TextFormats

/// The settings of a brand in a body: an absent member stays unchanged, one that is null is reset to its default.
///
/// Unsupported settings are rejected and not stored for a later version: nobody should believe that they have an
/// effect.
struct SettingsBody {
    private var edits: [(inout BrandSettings) -> Void] = []
    /// The change of the webhook; nil for none.
    private(set) var webhook: WebhookChange?

    /// The names that are reserved for settings and rejected by this version.
    private static let unsupported: [BoundedName] = ["links"]
    static let unsupportedDetail = "must be absent: this version does not support it"

    /// Reads the settings; records errors.
    init(_ object: BodyObject, _ context: WebhookContext, _ checks: inout FieldChecks) {
        var known: Set<BoundedName> = []
        /// Reads one setting; `read` returns its value when it is present and valid.
        func take<Value>(
            _ name: BoundedName,
            _ path: WritableKeyPath<BrandSettings, Value>,
            _ read: (inout FieldChecks, BodyMember) -> Value?
        ) {
            known.insert(name)
            let member = object[name]
            guard member.isNamed else { return }
            let value = member.isEmpty ? BrandSettings()[keyPath: path] : read(&checks, member)
            if let value { edits.append { $0[keyPath: path] = value } }
        }
        func number(_ name: BoundedName, _ path: WritableKeyPath<BrandSettings, Int64>, _ range: ClosedRange<Int64>) {
            take(name, path) { $0.integer($1, in: range) }
        }
        func flag(_ name: BoundedName, _ path: WritableKeyPath<BrandSettings, Bool>) {
            take(name, path) { $0.flag($1) }
        }
        take("preview", \.preview) { $0.word($1, as: BrandSettings.Preview.self) }
        take("presence", \.presence) { $0.word($1, as: BrandSettings.Presence.self) }
        flag("suppressWhileWindowOpen", \.suppressWhileWindowOpen)
        number("messageTtlSeconds", \.messageTtlSeconds, BrandSettings.messageTtlRange)
        number("retentionDays", \.retentionDays, BrandSettings.retentionRange)
        number("sessionTtlSeconds", \.sessionTtlSeconds, BrandSettings.sessionTtlRange)
        number("dedupeHours", \.dedupeHours, BrandSettings.dedupeRange)
        number("staleDeviceDays", \.staleDeviceDays, BrandSettings.staleDeviceRange)
        flag("anonymousConsumers", \.anonymousConsumers)
        number("anonymousMergeDays", \.anonymousMergeDays, BrandSettings.anonymousMergeRange)
        take("anonymousMerge", \.anonymousMerge) { $0.word($1, as: AnonymousMerge.self) }
        flag("singleDevice", \.singleDevice)
        flag("showExpiredProactive", \.showExpiredProactive)
        take("engagements", \.engagements, EngagementBody.engagements)
        take("templates", \.templates) { TemplateBody.templates($1, &$0) }
        take("quietHours", \.quietHours) { QuietHoursBody.hours($1, isBrands: true, &$0) }
        take("summaryThreshold", \.summaryThreshold) { $0.integer($1, in: BrandSettings.summaryRange) }
        take("campaignRatePerSecond", \.campaignRatePerSecond) { $0.integer($1, in: BrandSettings.campaignRateRange) }
        take("anonymousSessionTtlSeconds", \.anonymousSessionTtlSeconds) {
            $0.integer($1, in: BrandSettings.anonymousSessionTtlRange)
        }
        take("linkHosts", \.linkHosts) { Self.linkHosts($1, &$0) }
        take("allowedOrigins", \.allowedOrigins) { Self.origins($1, &$0) }
        take("consentCategories", \.consentCategories, ConsentCategoryBody.categories)
        flag("customerTokensRequired", \.customerTokensRequired)
        take("readableProperties", \.readableProperties) { checks, member in
            checks.items(member, atMost: BrandSettings.maxReadableProperties)?
                .compactMap { checks.line($0, atMost: BoundedName.maxBytes, isRequired: true) }
        }
        take("objective", \.objective) { Self.objective($1, &$0) }
        take("campaignTemplates", \.campaignTemplates, CampaignTemplateBody.templates)
        edits += WireBody.edits(object["wire"], &checks)
        for name in Self.unsupported where !object[name].isEmpty {
            checks.fail(object[name].pointer, Self.unsupportedDetail)
        }
        webhook = WebhookBody.change(object["webhook"], context, &checks)
        checks.rejectOthers(in: object, than: known.union(Self.unsupported + ["webhook", "wire"]))
    }

    private static func objective(_ member: BodyMember, _ checks: inout FieldChecks) -> DeliveryObjective? {
        guard let object = checks.object(member) else { return nil }
        checks.rejectOthers(in: object, than: ["percent", "withinSeconds"])
        let percent = checks.integer(object["percent"], in: DeliveryObjective.percentRange, isRequired: true)
        let seconds = checks.integer(object["withinSeconds"], in: DeliveryObjective.secondsRange, isRequired: true)
        guard let percent, let seconds else { return nil }
        return DeliveryObjective(percent: percent, withinSeconds: seconds)
    }

    private static func linkHosts(_ member: BodyMember, _ checks: inout FieldChecks) -> [String] {
        var hosts: [String] = []
        for item in checks.items(member, atMost: BrandSettings.maxLinkHosts) ?? [] {
            guard let text = checks.text(item, isRequired: true) else { continue }
            guard let host = LinkBody.host(text) else {
                checks.fail(item.pointer, LinkBody.hostRule)
                continue
            }
            if hosts.contains(where: { $0.utf8.elementsEqual(host.utf8) }) {
                checks.fail(item.pointer, "appears more than once")
            }
            hosts.append(host)
        }
        return hosts
    }

    private static func origins(_ member: BodyMember, _ checks: inout FieldChecks) -> [String] {
        var origins: [String] = []
        for item in checks.items(member, atMost: BrandSettings.maxOrigins) ?? [] {
            guard let text = checks.text(item, isRequired: true) else { continue }
            if !OriginText.isValid(text) { checks.fail(item.pointer, OriginText.rule) }
            origins.append(text)
        }
        return origins
    }

    /// Resets all settings to their defaults; the hosts that the administrator gave to the brand stay.
    static func defaults() -> SettingsBody {
        var body = SettingsBody()
        body.edits = [
            { settings in
                let hosts = settings.linkHosts
                settings = BrandSettings()
                settings.linkHosts = hosts
            }
        ]
        body.webhook = .remove
        return body
    }

    private init() {}

    /// Applies the changes.
    func apply(to settings: inout BrandSettings) {
        for edit in edits { edit(&settings) }
    }
}
