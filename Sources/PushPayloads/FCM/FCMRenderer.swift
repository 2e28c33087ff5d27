package import GatewayModel

/// Renders pushes for FCM HTTP v1 (`providers.md` B2, B3, `http-api.md` section 10); one for each lane, any thread.
package struct FCMRenderer: Sendable {
    /// The most bytes of keys and values of a message (`providers.md` B6).
    ///
    /// We count the whole JSON text but the token, which is never less than what Google counts.
    package static let maxPayloadBytes = 4096

    /// Four weeks, the longest that FCM keeps a message (`providers.md` B3).
    package static let maxTimeToLiveSeconds: Int64 = 2_419_200

    /// The channel of pushes in quiet hours: an app that makes one of this name, of low importance, is not heard then.
    ///
    /// From Android 8 on the channel and not the push decides what is heard; where there is none of the name, FCM takes the one
    /// of the app's manifest. Before Android 8 the priority decides
    /// (https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages).
    static let quietChannel: StaticString = "switchboard.quiet"

    /// FCM names no limit for a collapse key; we keep to that of APNs.
    static let maxCollapseKeyBytes = 64

    private let brand: BrandRendering
    private let path: String
    private let style: FCMSettings.Style
    /// From the end of the token to the brand: the same for every push of the lane.
    private let brandMember: [UInt8]

    private static let headers = [
        PushHeader(name: "content-type", value: "application/json", indexing: .incremental)
    ]

    /// Prepares what all pushes of a lane share.
    ///
    /// - Parameters:
    ///   - brand: The brand as it is now.
    ///   - projectID: The Firebase project.
    ///   - style: What an Android device gets.
    ///   - links: The host whose links the app opens.
    package init(brand: Brand, projectID: String, style: FCMSettings.Style, links: LinkSettings? = nil) {
        self.brand = BrandRendering(brand: brand, links: links)
        self.style = style
        path = HeaderText.path("/v1/projects/", segment: projectID, suffix: "/messages:send")
        var writer = JSONWriter(capacity: 96)
        writer.literal("\",\"data\":{\"brandId\":")
        writer.string(brand.id.rawValue)
        brandMember = writer.bytes
    }

    /// Renders one push.
    ///
    /// - Parameters:
    ///   - job: The push.
    ///   - now: The wall clock: FCM takes how long a message may wait, not until when.
    /// - Returns: The request without its `authorization`.
    package func request(for job: PushJob, now: Timestamp) -> PushRequest {
        guard let message = job.message else {
            return PushRequest(
                path: path,
                headers: Self.headers,
                body: badgeBody(job, now: now),
                badge: job.badge ?? 0
            )
        }
        return PushRequest(
            path: path,
            headers: Self.headers,
            body: body(message, job: job, now: now),
            badge: message.silent ? nil : job.badge
        )
    }

    private func badgeBody(_ job: PushJob, now: Timestamp) -> [UInt8] {
        var writer = JSONWriter(capacity: 256 + job.token.utf8.count + 160 * job.read.count)
        open(job, to: &writer)
        writer.literal(",\"badge\":\"")
        writer.integer(job.badge ?? 0)
        if !job.read.isEmpty {
            writer.literal("\",\"read\":\"")
            writer.escaped(String(decoding: JSONWriter.text(of: job.read), as: UTF8.self))
        }
        // Only the newest badge counts, so that waiting ones may replace each other: it says what older ones said.
        writer.literal("\"},\"android\":{\"priority\":\"NORMAL\",\"collapse_key\":\"switchboard.badge\"")
        timeToLive(job, now: now, to: &writer)
        writer.literal("}}}")
        return writer.bytes
    }

    private func body(_ message: Message, job: PushJob, now: Timestamp) -> [UInt8] {
        let words = message.silent ? .none : brand.words(of: message, for: job)
        return TextFitting.body(
            // Escapes in a token would count against the text; real ones have none.
            limit: Self.maxPayloadBytes + job.token.utf8.count,
            text: words.text,
            dataBytes: message.data?.text.utf8.count,
            copies: isNotification(message) ? 2 : 1,
            render: { full(message, job: job, now: now, title: words.title, fit: $0) },
            bare: { bare(message, job: job, now: now) }
        )
    }

    private func isNotification(_ message: Message) -> Bool { style == .notification && !message.silent }

    private func full(
        _ message: Message,
        job: PushJob,
        now: Timestamp,
        title: String,
        fit: TextFitting.Fit
    ) -> [UInt8] {
        let data = fit.includesData ? message.data : nil
        var writer = JSONWriter(
            capacity: 900 + job.token.utf8.count + 2 * (fit.text.utf8.count + title.utf8.count)
                + (data?.text.utf8.count ?? 0) * 5 / 4
        )
        members(of: message, job: job, to: &writer)
        if let dialog = message.dialog {
            writer.literal(",\"dialogId\":")
            writer.string(dialog)
        }
        if let agentID = message.agentID {
            writer.literal(",\"originatorId\":")
            writer.string(agentID)
        }
        if let link = message.link.choice(for: job.platform, opening: brand.links) {
            writer.literal(",\"link\":")
            writer.string(link.text)
            if link.isUnverified { writer.literal(",\"linkUnverified\":\"true\"") }
        }
        if let data {
            writer.literal(",\"data\":")
            writer.string(data.text)
        }
        if fit.isTruncated { writer.literal(",\"truncated\":\"true\"") }
        if !message.silent {
            writer.literal(",\"title\":")
            writer.string(title)
            writer.literal(",\"text\":\"")
            writer.escaped(fit.text)
            writer.literal(fit.isCut ? "…\"" : "\"")
        }
        writer.literal("}")
        if isNotification(message) {
            writer.literal(",\"notification\":{\"title\":")
            writer.string(title)
            writer.literal(",\"body\":\"")
            writer.escaped(fit.text)
            writer.literal(fit.isCut ? "…\"}" : "\"}")
        }
        android(message, job: job, now: now, sound: job.isQuiet ? nil : (message.sound ?? job.sound), to: &writer)
        return writer.bytes
    }

    /// The push that always fits: every member in it is bounded by its type or left out.
    private func bare(_ message: Message, job: PushJob, now: Timestamp) -> [UInt8] {
        var writer = JSONWriter(capacity: 2048 + job.token.utf8.count)
        members(of: message, job: job, to: &writer)
        writer.literal(",\"truncated\":\"true\"")
        if !message.silent {
            if let title = brand.bareTitle {
                writer.literal(",\"title\":")
                writer.string(title)
            }
            writer.literal(",\"text\":")
            writer.string(BrandRendering.genericText)
        }
        writer.literal("}")
        if isNotification(message) {
            writer.literal(",\"notification\":{")
            if let title = brand.bareTitle {
                writer.literal("\"title\":")
                writer.string(title)
                writer.literal(",")
            }
            writer.literal("\"body\":")
            writer.string(BrandRendering.genericText)
            writer.literal("}")
        }
        let sound = job.isQuiet ? nil : (message.sound ?? job.sound).flatMap { $0.utf8.count <= 64 ? $0 : nil }
        android(message, job: job, now: now, sound: sound, to: &writer)
        return writer.bytes
    }

    private func open(_ job: PushJob, to writer: inout JSONWriter) {
        writer.literal("{\"message\":{\"token\":\"")
        writer.escaped(job.token)
        writer.raw(brandMember)
    }

    /// Begins the message and writes the members of `data` that every push of a message has; all values are strings, and
    /// none of the names is reserved (`providers.md` B2).
    private func members(of message: Message, job: PushJob, to writer: inout JSONWriter) {
        open(job, to: &writer)
        writer.literal(",\"messageId\":\"")
        writer.identifier(message.id)
        writer.literal("\",\"conversationId\":")
        writer.string(message.conversation.rawValue)
        writer.literal(",\"sequence\":\"")
        writer.integer(message.sequence)
        switch message.kind {
        case .agent, .consumer: writer.literal("\",\"backendService\":\"ams\"")
        case .proactive: writer.literal("\",\"backendService\":\"prmsg\"")
        case .c2m: writer.literal("\",\"backendService\":\"c2m\"")
        }
        if message.silent {
            // A data message looks the same whether it is to be shown or not; only this tells the app.
            writer.literal(",\"silent\":\"true\"")
        }
        if job.summary > 0 {
            writer.literal(",\"summary\":\"")
            writer.integer(job.summary)
            writer.literal("\"")
        }
        // Who shows a data message chooses its sound.
        if job.isQuiet { writer.literal(",\"quiet\":\"true\"") }
        if !message.silent, let badge = job.badge {
            writer.literal(",\"badge\":\"")
            writer.integer(badge)
            writer.literal("\"")
        }
    }

    /// Writes `android` and ends the message.
    private func android(
        _ message: Message,
        job: PushJob,
        now: Timestamp,
        sound: String?,
        to writer: inout JSONWriter
    ) {
        // HIGH for what shows nothing gets an app demoted (`providers.md` B5).
        writer.literal(
            (message.priority == .high || job.isUrgent) && !message.silent && !job.isQuiet
                ? ",\"android\":{\"priority\":\"HIGH\"" : ",\"android\":{\"priority\":\"NORMAL\""
        )
        timeToLive(job, now: now, to: &writer)
        // Only four different keys are kept for a device (`providers.md` B3), so that a key for each message would lose
        // the fifth: no key unless the event names one.
        let summaryTag = job.summaryTag(of: message)
        let collapseKey =
            summaryTag == nil
            ? message.collapseKey.map { HeaderText.collapseKey($0, maxBytes: Self.maxCollapseKeyBytes) } : nil
        if let collapseKey {
            writer.literal(",\"collapse_key\":")
            writer.string(collapseKey)
        }
        if isNotification(message) {
            writer.literal(",\"notification\":{\"tag\":\"")
            if let tag = summaryTag ?? collapseKey { writer.escaped(tag) } else { writer.identifier(message.id) }
            writer.literal("\"")
            if let badge = job.badge {
                writer.literal(",\"notification_count\":")
                writer.integer(min(max(badge, 0), Int64(Int32.max)))
            }
            if let sound {
                writer.literal(",\"sound\":")
                writer.string(sound)
            }
            if job.isQuiet {
                writer.literal(",\"channel_id\":\"")
                writer.literal(Self.quietChannel)
                writer.literal("\",\"notification_priority\":\"PRIORITY_LOW\"")
            }
            writer.literal("}")
        }
        writer.literal("}}}")
    }

    /// `ttl` as a duration in whole seconds, between nothing and four weeks (`providers.md` B3).
    private func timeToLive(_ job: PushJob, now: Timestamp, to writer: inout JSONWriter) {
        let (difference, overflow) = job.expiresAt.milliseconds.subtractingReportingOverflow(now.milliseconds)
        let seconds = overflow ? (job.expiresAt > now ? Int64.max : 0) : difference / 1000
        writer.literal(",\"ttl\":\"")
        writer.integer(min(max(seconds, 0), Self.maxTimeToLiveSeconds))
        writer.literal("s\"")
    }
}
