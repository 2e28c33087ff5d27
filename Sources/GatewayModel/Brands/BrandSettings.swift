/// A brand's settings with their defaults (BrandsAndApps page); they encode and decode as JSON.
package struct BrandSettings: Codable, Equatable, Sendable {
    /// The part of a message that a notification shows.
    package enum Preview: String, Codable, Sendable, CaseIterable {
        /// Title and text.
        case full
        /// The sender's name, not the text.
        case sender
        /// Neither.
        case none
    }

    /// The windows of which an open one suppresses a push.
    package enum Presence: String, Codable, Sendable, CaseIterable {
        /// All windows of the consumer.
        case consumer
        /// Only windows of the same device.
        case device
    }

    /// The part of a message that a notification shows; default `full`.
    package var preview: Preview = .full
    /// The windows of which an open one suppresses a push; default `consumer`.
    package var presence: Presence = .consumer
    /// Whether an open window suppresses pushes at all; default true.
    package var suppressWhileWindowOpen = true
    /// The time that a push may wait when the event does not set it, in seconds, 0 to 2,419,200 (FCM's four weeks);
    /// default a week.
    package var messageTtlSeconds: Int64 = 604_800
    /// The retention of messages and of the delivery log, in days, 1 to 3,650; default 30.
    package var retentionDays: Int64 = 30
    /// The lifetime of a session token, in seconds, 60 to 86,400; default an hour.
    package var sessionTtlSeconds: Int64 = 3600
    /// The token lifetime of a session without an identity, in seconds, 60 to 2,592,000; default as for others.
    package var anonymousSessionTtlSeconds: Int64?
    /// The time for which an event's id is stored to detect replays, in hours, 1 to 168; default 72.
    package var dedupeHours: Int64 = 72
    /// Whether a device may log in without an identifier; default false.
    package var anonymousConsumers = false
    /// The condition under which a login merges an anonymous consumer; default `token`.
    package var anonymousMerge = AnonymousMerge.token
    /// The time for which an expired token of an anonymous session is still accepted for a merge, in days, 0 to 30;
    /// default 7.
    package var anonymousMergeDays: Int64 = 7
    /// Whether a login on another device logs the first one out; default false.
    package var singleDevice = false
    /// The brand's engagements; an earlier one takes precedence; default none.
    package var engagements: [Engagement] = []
    /// The number of days without activity after which a device's registration ends, 1 to 3,650; default 270, after
    /// which FCM expires the tokens of inactive devices.
    package var staleDeviceDays: Int64 = 270
    /// The wire adaptors that are on for the brand; default none.
    package var wire = WireSettings()
    /// The brand's own texts for its notifications; default none.
    package var templates: TemplateSettings?
    /// The time of day in which devices are not woken; default none.
    package var quietHours: QuietHours?
    /// The hosts whose links the brand's apps may open, in lower case; only the administrator sets them; default none.
    ///
    /// Nil in data of a version before they existed: the directory then sets the hosts that this brand alone uses.
    package var linkHosts: [String]? = []
    /// The number of waiting agents' messages for one device above which they become one push, 1 to 100; default never.
    package var summaryThreshold: Int64?
    /// The maximum rate of each campaign, in pushes per second, 1 to 100,000; default unlimited.
    package var campaignRatePerSecond: Int64?
    /// The objective for pushes of agents' messages; default none.
    package var objective: DeliveryObjective?
    /// Whether a tap after the look-back of a proactive message still returns the message (R114); default false.
    package var showExpiredProactive = false
    /// The origins whose pages may call the device routes and the adaptors for pages, as browsers send them (R192); at
    /// most ``maxOrigins``, default none.
    package var allowedOrigins: [String] = []

    /// The categories to which consumers consent; default none.
    package var consentCategories: [ConsentCategory] = []
    /// Whether Bloomreach's inbox is open to customer tokens only, and not to API keys (R143); default false.
    package var customerTokensRequired = false
    /// The properties of customers that the holder of an API key may read (R134), at most ``maxReadableProperties``;
    /// default none.
    package var readableProperties: [String] = []
    /// The texts of LivePerson's campaigns by the `templateId` of the request, with placeholders such as `{{1}}`; at
    /// most ``maxCampaignTemplates``, default none.
    package var campaignTemplates: [String: String] = [:]

    /// The maximum of ``readableProperties``.
    package static let maxReadableProperties = 256
    /// The maximum of ``campaignTemplates``.
    package static let maxCampaignTemplates = 100
    /// The maximum length of all ``campaignTemplates`` together, in bytes of UTF-8: every response with the brand
    /// contains them.
    package static let campaignTemplateBytes = 65_536
    /// The maximum of ``allowedOrigins``.
    package static let maxOrigins = 32
    /// The maximum of ``linkHosts``.
    package static let maxLinkHosts = 100
    /// The range of ``messageTtlSeconds``.
    package static let messageTtlRange: ClosedRange<Int64> = 0...2_419_200
    /// The range of ``retentionDays``.
    package static let retentionRange: ClosedRange<Int64> = 1...3650
    /// The range of ``sessionTtlSeconds``.
    package static let sessionTtlRange: ClosedRange<Int64> = 60...86_400
    /// The range of ``anonymousSessionTtlSeconds``: up to thirty days, since a consumer without an identity cannot log
    /// in again.
    package static let anonymousSessionTtlRange: ClosedRange<Int64> = 60...2_592_000
    /// The range of ``anonymousMergeDays``.
    package static let anonymousMergeRange: ClosedRange<Int64> = 0...30
    /// The range of ``summaryThreshold``.
    package static let summaryRange: ClosedRange<Int64> = 1...100
    /// The range of ``campaignRatePerSecond``.
    package static let campaignRateRange: ClosedRange<Int64> = 1...100_000
    /// The range of ``dedupeHours``.
    package static let dedupeRange: ClosedRange<Int64> = 1...168
    /// The range of ``staleDeviceDays``.
    package static let staleDeviceRange: ClosedRange<Int64> = 1...3650

    /// Creates the default settings.
    package init() {}

    private enum CodingKeys: String, CodingKey {
        case preview, presence, suppressWhileWindowOpen, messageTtlSeconds, retentionDays, sessionTtlSeconds
        case dedupeHours, anonymousConsumers, singleDevice, staleDeviceDays, engagements, wire, templates, quietHours
        case summaryThreshold, anonymousSessionTtlSeconds, linkHosts, anonymousMerge, anonymousMergeDays
        case campaignRatePerSecond, showExpiredProactive, allowedOrigins
        case consentCategories, customerTokensRequired, readableProperties, campaignTemplates, objective
    }

    /// Decodes settings; an absent member has its default.
    ///
    /// Only ``anonymousMerge`` differs: a version without that member stored the brand and merged by device, and such a
    /// brand keeps that.
    ///
    /// - Throws: `DecodingError` for a wrong type or a number out of its range.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func number(_ key: CodingKeys, _ range: ClosedRange<Int64>, _ fallback: Int64) throws -> Int64 {
            guard let value = try container.decodeIfPresent(Int64.self, forKey: key) else { return fallback }
            guard range.contains(value) else {
                throw DecodingError.dataCorruptedError(
                    forKey: key,
                    in: container,
                    debugDescription: "must be \(range.lowerBound) to \(range.upperBound)"
                )
            }
            return value
        }
        func flag(_ key: CodingKeys, _ fallback: Bool) throws -> Bool {
            try container.decodeIfPresent(Bool.self, forKey: key) ?? fallback
        }
        preview = try container.decodeIfPresent(Preview.self, forKey: .preview) ?? .full
        presence = try container.decodeIfPresent(Presence.self, forKey: .presence) ?? .consumer
        suppressWhileWindowOpen = try flag(.suppressWhileWindowOpen, true)
        messageTtlSeconds = try number(.messageTtlSeconds, Self.messageTtlRange, 604_800)
        retentionDays = try number(.retentionDays, Self.retentionRange, 30)
        sessionTtlSeconds = try number(.sessionTtlSeconds, Self.sessionTtlRange, 3600)
        dedupeHours = try number(.dedupeHours, Self.dedupeRange, 72)
        anonymousConsumers = try flag(.anonymousConsumers, false)
        anonymousMerge = try container.decodeIfPresent(AnonymousMerge.self, forKey: .anonymousMerge) ?? .device
        anonymousMergeDays = try number(.anonymousMergeDays, Self.anonymousMergeRange, 7)
        singleDevice = try flag(.singleDevice, false)
        showExpiredProactive = try flag(.showExpiredProactive, false)
        engagements = try container.decodeIfPresent([Engagement].self, forKey: .engagements) ?? []
        staleDeviceDays = try number(.staleDeviceDays, Self.staleDeviceRange, 270)
        wire = try container.decodeIfPresent(WireSettings.self, forKey: .wire) ?? WireSettings()
        templates = try container.decodeIfPresent(TemplateSettings.self, forKey: .templates)
        quietHours = try container.decodeIfPresent(QuietHours.self, forKey: .quietHours)
        objective = try container.decodeIfPresent(DeliveryObjective.self, forKey: .objective)
        linkHosts = try container.decodeIfPresent([String].self, forKey: .linkHosts)
        allowedOrigins = try container.decodeIfPresent([String].self, forKey: .allowedOrigins) ?? []
        consentCategories =
            try container.decodeIfPresent([ConsentCategory].self, forKey: .consentCategories) ?? []
        customerTokensRequired = try flag(.customerTokensRequired, false)
        readableProperties = try container.decodeIfPresent([String].self, forKey: .readableProperties) ?? []
        campaignTemplates = try container.decodeIfPresent([String: String].self, forKey: .campaignTemplates) ?? [:]
        if container.contains(.summaryThreshold) {
            summaryThreshold = try number(.summaryThreshold, Self.summaryRange, 1)
        }
        if container.contains(.campaignRatePerSecond) {
            campaignRatePerSecond = try number(.campaignRatePerSecond, Self.campaignRateRange, 1)
        }
        if container.contains(.anonymousSessionTtlSeconds) {
            let range = Self.anonymousSessionTtlRange
            anonymousSessionTtlSeconds = try number(.anonymousSessionTtlSeconds, range, sessionTtlSeconds)
        }
    }
}
