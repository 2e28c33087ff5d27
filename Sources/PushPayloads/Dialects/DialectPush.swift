package import GatewayModel
internal import TextFormats

/// The content of a push in the format of another system: what is beside `aps`, and in FCM's `data`.
///
/// Each format has the mark by which apps of the system recognize their pushes (R39, R103, R162); members that the system
/// does not publish are ours (DevicesBadgesTaps page).
struct DialectPush {
    let message: Message
    let job: PushJob
    /// The title; nil if it would not fit.
    let title: String?
    /// The text, or the part of it that fits.
    let text: Substring
    /// Whether the text is truncated and ends with an ellipsis.
    let isCut: Bool
    /// Whether the text is a member: always in FCM's `data`, over APNs only if there is room beside `aps.alert`.
    let showsText: Bool
    /// The agent as a JSON object, if there is room.
    let agent: [UInt8]?
    /// The link for the device; nil when there is none or it would not fit.
    let link: (text: String, isUnverified: Bool)?
    /// The event's `data`; nil when there is none or it would not fit.
    let data: JSONText?
    /// Whether the push marks that something is missing.
    let isTruncated: Bool
    /// Whether members of unbounded length are left out.
    let isBare: Bool
    /// Whether all values are strings, and nested ones JSON text, as FCM requires (ProviderFacts page, B2).
    let asText: Bool

    /// The content of a push that always fits.
    static func bare(_ message: Message, _ job: PushJob, _ brand: BrandRendering, asText: Bool) -> DialectPush {
        DialectPush(
            message: message,
            job: job,
            title: brand.bareTitle,
            text: BrandRendering.genericText[...],
            isCut: false,
            showsText: true,
            agent: nil,
            link: nil,
            data: nil,
            isTruncated: true,
            isBare: true,
            asText: asText
        )
    }

    /// Creates the content of a push from what fits.
    init(
        _ message: Message,
        _ job: PushJob,
        _ brand: BrandRendering,
        title: String,
        fit: TextFitting.Fit,
        asText: Bool
    ) {
        self.init(
            message: message,
            job: job,
            title: title,
            text: fit.text,
            isCut: fit.isCut,
            showsText: asText || fit.extras == .textAndAgent,
            agent: fit.extras == .none ? nil : brand.agent(of: message),
            link: message.link.choice(for: job.platform, opening: brand.links),
            data: fit.includesData ? message.data : nil,
            isTruncated: fit.isTruncated,
            isBare: false,
            asText: asText
        )
    }

    private init(
        message: Message,
        job: PushJob,
        title: String?,
        text: Substring,
        isCut: Bool,
        showsText: Bool,
        agent: [UInt8]?,
        link: (text: String, isUnverified: Bool)?,
        data: JSONText?,
        isTruncated: Bool,
        isBare: Bool,
        asText: Bool
    ) {
        self.message = message
        self.job = job
        self.title = title
        self.text = text
        self.isCut = isCut
        self.showsText = showsText
        self.agent = agent
        self.link = link
        self.data = data
        self.isTruncated = isTruncated
        self.isBare = isBare
        self.asText = asText
    }

    /// Writes the members of a format into an object that is open.
    func write(_ dialect: AppSettings.Dialect, brand: BrandID, to writer: inout JSONWriter) {
        switch dialect {
        // Rendered by the renderers themselves: its members are prepared for the lane.
        case .switchboard: break
        case .liveperson: livePerson(brand, &writer)
        case .ujet: ujet(&writer)
        case .bloomreach: bloomreach(&writer)
        }
    }

    /// LivePerson's format: members at one level over APNs, a `payload` as JSON text beside `message` over FCM
    /// (https://developers.liveperson.com, "Push notification service").
    private func livePerson(_ brand: BrandID, _ writer: inout JSONWriter) {
        guard asText else {
            writer.member("push-service", 1)
            writer.member("notificationType", "apn")
            return livePersonLevel(brand, &writer)
        }
        if !message.silent { truncatedText("message", &writer) }
        var payload = JSONWriter(capacity: 768)
        payload.literal("{")
        livePersonMembers(brand, &payload)
        payload.literal("}")
        writer.nested("payload", payload.bytes, asText: true)
    }

    private func livePersonLevel(_ brand: BrandID, _ writer: inout JSONWriter) {
        livePersonMembers(brand, &writer)
        if showsText, !message.silent { truncatedText("text", &writer) }
    }

    /// Writes the members of LivePerson's envelope for a push proxy into an object that is open, except those that lead
    /// to the device: here the `payload` of a map is an object.
    func writeEnvelope(brand: BrandID, to writer: inout JSONWriter) {
        guard asText else {
            writer.literal("\"aps\":{")
            writer.aps(message, job, title: title, text: text, isCut: isCut, isBare: isBare, dialect: .liveperson)
            writer.literal("}")
            return livePersonLevel(brand, &writer)
        }
        writer.literal("\"data\":{")
        if !message.silent { truncatedText("message", &writer) }
        writer.name(known: "payload")
        writer.literal("{")
        livePersonMembers(brand, &writer)
        writer.literal("}}")
    }

    private func livePersonMembers(_ brand: BrandID, _ writer: inout JSONWriter) {
        writer.member("backendService", message.kind.backendService)
        writer.member("conversationId", message.conversation.rawValue)
        if !isBare {
            writer.member("dialogId", message.dialog)
            writer.member("originatorId", message.agentID)
        }
        writer.member("brandId", brand.rawValue)
        writer.member("sequence", message.sequence)
        writer.member("messageId", message.id.description)
        // Numbers and nested parts keep their types: where all values are text, these are inside of one.
        shared(asText: false, &writer)
        linkMembers(asText: false, &writer)
        if message.silent { writer.flag("silent", asText: false) } else { writer.member("title", title) }
    }

    /// The format of CCAI Platform: the mark is the member `ujet` (public iOS SDK guide); its members are ours.
    private func ujet(_ writer: inout JSONWriter) {
        var mark = JSONWriter(capacity: 384)
        mark.literal("{")
        mark.member("push_id", message.id.description)
        mark.member("type", message.kind == .agent ? "chat" : message.kind.rawValue)
        mark.member("conversation_id", message.conversation.rawValue)
        mark.literal("}")
        writer.nested("ujet", mark.bytes, asText: asText)
        shared(asText: asText, &writer)
        linkMembers(asText: asText, &writer)
        words(textName: "text", &writer)
        if message.silent { writer.flag("silent", asText: asText) }
    }

    /// Bloomreach's format: the mark is `source` (exponea-ios-sdk and exponea-android-sdk, push payloads).
    private func bloomreach(_ writer: inout JSONWriter) {
        // The SDKs read an integer of 32 bits.
        writer.number("notification_id", Int64(message.id.low & 0x7FFF_FFFF), asText: asText)
        writer.member("source", "xnpe_platform")
        words(textName: "message", &writer)
        let isSelfCheck = message.silent && message.data == SelfCheckPush.data
        writer.member("action", isSelfCheck ? "self-check" : action)
        writer.member("url", link?.text)
        if asText, !job.isQuiet, let sound = message.sound ?? job.sound, !isBare { writer.member("sound", sound) }
        if message.silent { writer.flag("silent", asText: asText) }
        writer.flag("has_tracking_consent", asText: asText)
        var attributes = JSONWriter(capacity: 256)
        attributes.literal("{")
        attributes.member("event_type", "campaign")
        attributes.member("action_type", "mobile notification")
        attributes.member("platform", job.platform.rawValue)
        attributes.member("sent_timestamp", message.acceptedAt.seconds)
        attributes.member("message_id", message.id.description)
        if !isBare { attributes.member("campaign_id", message.campaign) }
        attributes.literal("}")
        writer.nested("attributes", attributes.bytes, asText: asText)
        shared(asText: asText, &writer)
    }

    /// The reaction of the app to a tap: a verified link, or one of the app's own scheme, opens the app.
    private var action: String {
        guard let link else { return "app" }
        return link.isUnverified && link.text.hasBytePrefix("https://") ? "browser" : "deeplink"
    }

    /// Writes title and text; over APNs `aps.alert` has them, and only the text is written once more.
    private func words(textName: StaticString, _ writer: inout JSONWriter) {
        guard !message.silent else { return }
        if asText { writer.member("title", title) }
        if showsText { truncatedText(textName, &writer) }
    }

    private func truncatedText(_ name: StaticString, _ writer: inout JSONWriter) {
        writer.name(known: name)
        writer.literal("\"")
        writer.escaped(text)
        writer.literal(isCut ? "…\"" : "\"")
    }

    private func linkMembers(asText: Bool, _ writer: inout JSONWriter) {
        guard let link else { return }
        writer.member("link", link.text)
        if link.isUnverified { writer.flag("linkUnverified", asText: asText) }
    }

    /// Writes the members that have one name in all formats: Switchboard's own.
    private func shared(asText: Bool, _ writer: inout JSONWriter) {
        if let badge = job.badge, !message.silent { writer.number("badge", badge, asText: asText) }
        if job.summary > 0 { writer.number("summary", job.summary, asText: asText) }
        if job.isQuiet { writer.flag("quiet", asText: asText) }
        if let agent { writer.nested("agent", agent, asText: asText) }
        if let data { writer.nested("data", Array(data.text.utf8), asText: asText) }
        if isTruncated { writer.flag("truncated", asText: asText) }
    }
}

/// The push of a self-check (R139).
package enum SelfCheckPush {
    /// The `data` by which an app recognizes it.
    package static let data = JSONText(trusted: #"{"action":"self-check"}"#)
}

extension JSONWriter {
    /// Appends a member with a complete JSON value, which is escaped where all values are strings.
    fileprivate mutating func nested(_ name: StaticString, _ json: [UInt8], asText: Bool) {
        self.name(known: name)
        guard asText else { return raw(json) }
        string(String(decoding: json, as: UTF8.self))
    }

    fileprivate mutating func number(_ name: StaticString, _ value: Int64, asText: Bool) {
        guard asText else { return member(name, value) }
        member(name, String(value))
    }

    fileprivate mutating func flag(_ name: StaticString, asText: Bool) {
        self.name(known: name)
        literal(asText ? "\"true\"" : "true")
    }
}
