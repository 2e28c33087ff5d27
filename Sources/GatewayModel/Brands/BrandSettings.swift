/// A brand's settings with their defaults (BrandsAndApps page); encodes and decodes as its JSON.
package struct BrandSettings: Codable, Equatable, Sendable {
    /// How much of a message a notification shows.
    package enum Preview: String, Codable, Sendable, CaseIterable {
        /// Title and text.
        case full
        /// The sender's name, not the text.
        case sender
        /// Neither.
        case none
    }

    /// Whose open window suppresses a push.
    package enum Presence: String, Codable, Sendable, CaseIterable {
        /// Any window of the consumer.
        case consumer
        /// Only the device's own.
        case device
    }

    /// How much of a message a notification shows; default `full`.
    package var preview: Preview = .full
    /// Whose open window suppresses a push; default `consumer`.
    package var presence: Presence = .consumer
    /// Whether an open window suppresses pushes at all; default true.
    package var suppressWhileWindowOpen = true
    /// How long a push may wait when the event says nothing, in seconds, 0 to 2,419,200 (FCM's four weeks); default a week.
    package var messageTtlSeconds: Int64 = 604_800
    /// How long messages and the delivery log are kept, in days, 1 to 3,650; default 30.
    package var retentionDays: Int64 = 30
    /// How long a session token lives, in seconds, 60 to 86,400; default an hour.
    package var sessionTtlSeconds: Int64 = 3600
    /// How long the token of a session without an identity lives, in seconds, 60 to 2,592,000; default as others.
    package var anonymousSessionTtlSeconds: Int64?
    /// How long an event's id is remembered, in hours, 1 to 168; default 72.
    package var dedupeHours: Int64 = 72
    /// Whether a device may log in without an identifier; default false.
    package var anonymousConsumers = false
    /// What makes a login take in an anonymous consumer; default `token`.
    package var anonymousMerge = AnonymousMerge.token
    /// How long the token of an anonymous session is proof for a merge after it expired, in days, 0 to 30; default 7.
    package var anonymousMergeDays: Int64 = 7
    /// Whether a login on another device logs the first one out; default false.
    package var singleDevice = false
    /// What the brand offers where, those that come first before others; default none.
    package var engagements: [Engagement] = []
    /// After how many days without a sign of life a device's registration ends, 1 to 3,650; default 270, when FCM lets
    /// tokens of devices die that were not there.
    package var staleDeviceDays: Int64 = 270
    /// The wire adaptors that answer for the brand; default none.
    package var wire = WireSettings()
    /// The brand's own words for its notifications; default none.
    package var templates: TemplateSettings?
    /// When devices are not to be woken; default never.
    package var quietHours: QuietHours?
    /// The hosts whose links the brand's apps may open, in lower case; only the administrator gives them; default none.
    ///
    /// Nil in data of a version before they were given: the directory then gives what one brand alone uses.
    package var linkHosts: [String]? = []
    /// More agents' messages than this that wait for one device become one push, 1 to 100; default never.
    package var summaryThreshold: Int64?
    /// How many pushes of each campaign leave in a second, 1 to 100,000; default as many as can.
    package var campaignRatePerSecond: Int64?

    /// The most of ``linkHosts``.
    package static let maxLinkHosts = 100
    /// What ``messageTtlSeconds`` may be.
    package static let messageTtlRange: ClosedRange<Int64> = 0...2_419_200
    /// What ``retentionDays`` may be.
    package static let retentionRange: ClosedRange<Int64> = 1...3650
    /// What ``sessionTtlSeconds`` may be.
    package static let sessionTtlRange: ClosedRange<Int64> = 60...86_400
    /// What ``anonymousSessionTtlSeconds`` may be: up to thirty days, since nobody can log in without an identity again.
    package static let anonymousSessionTtlRange: ClosedRange<Int64> = 60...2_592_000
    /// What ``anonymousMergeDays`` may be.
    package static let anonymousMergeRange: ClosedRange<Int64> = 0...30
    /// What ``summaryThreshold`` may be.
    package static let summaryRange: ClosedRange<Int64> = 1...100
    /// The range of ``campaignRatePerSecond``.
    package static let campaignRateRange: ClosedRange<Int64> = 1...100_000
    /// What ``dedupeHours`` may be.
    package static let dedupeRange: ClosedRange<Int64> = 1...168
    /// What ``staleDeviceDays`` may be.
    package static let staleDeviceRange: ClosedRange<Int64> = 1...3650

    /// The defaults.
    package init() {}

    private enum CodingKeys: String, CodingKey {
        case preview, presence, suppressWhileWindowOpen, messageTtlSeconds, retentionDays, sessionTtlSeconds
        case dedupeHours, anonymousConsumers, singleDevice, staleDeviceDays, engagements, wire, templates, quietHours
        case summaryThreshold, anonymousSessionTtlSeconds, linkHosts, anonymousMerge, anonymousMergeDays
        case campaignRatePerSecond
    }

    /// Reads settings; a member that is absent takes its default.
    ///
    /// Only ``anonymousMerge`` is absent where a version stored the brand that did not know it, and merged by device: such a
    /// brand keeps that.
    ///
    /// - Parameter decoder: Where to read from.
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
        engagements = try container.decodeIfPresent([Engagement].self, forKey: .engagements) ?? []
        staleDeviceDays = try number(.staleDeviceDays, Self.staleDeviceRange, 270)
        wire = try container.decodeIfPresent(WireSettings.self, forKey: .wire) ?? WireSettings()
        templates = try container.decodeIfPresent(TemplateSettings.self, forKey: .templates)
        quietHours = try container.decodeIfPresent(QuietHours.self, forKey: .quietHours)
        linkHosts = try container.decodeIfPresent([String].self, forKey: .linkHosts)
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
