package import GatewayModel
internal import TextFormats

/// Renders pushes for FCM HTTP v1 (ProviderFacts page, B2, B3, DevicesBadgesTaps page); one for each lane, any thread.
package struct FCMRenderer: Sendable {
    /// The most bytes of keys and values of a message (ProviderFacts page, B6).
    ///
    /// We count the whole JSON text except the token, which is never less than Google's count.
    package static let maxPayloadBytes = 4096

    /// The longest time in seconds that FCM stores a message: four weeks (ProviderFacts page, B3).
    package static let maxTimeToLiveSeconds: Int64 = 2_419_200

    /// The notification channel of pushes in quiet hours: an app that creates one of this name with low importance is
    /// silent then.
    ///
    /// From Android 8 on the channel and not the push decides about sound. If no channel has the name, FCM uses the one
    /// of the app's manifest. Before Android 8 the priority decides
    /// (https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages).
    static let quietChannel: StaticString = "switchboard.quiet"

    /// The most bytes of a collapse key: FCM documents no limit, so this is the limit of APNs.
    static let maxCollapseKeyBytes = 64

    let brand: BrandRendering
    let style: FCMSettings.Style
    let wakesOnRead: Bool
    let dialect: AppSettings.Dialect
    private let path: String
    /// The bytes from the end of the token to the brand: the same for every push of the lane.
    private let brandMember: [UInt8]

    private static let headers = [
        PushHeader(name: "content-type", value: "application/json", indexing: .incremental)
    ]

    /// Prepares the parts that all pushes of a lane share.
    ///
    /// - Parameters:
    ///   - brand: The brand as it is now.
    ///   - projectID: The Firebase project.
    ///   - style: The message style for Android devices and browsers.
    ///   - links: The host whose links the app opens.
    ///   - wakesOnRead: Whether a badge push wakes the app on an Apple device, so that it removes notifications of
    ///     messages that were read elsewhere.
    ///   - dialect: The format of pushes of messages; badge pushes have Switchboard's in all of them.
    package init(
        brand: Brand,
        projectID: String,
        style: FCMSettings.Style,
        links: LinkSettings? = nil,
        wakesOnRead: Bool = false,
        dialect: AppSettings.Dialect = .switchboard
    ) {
        self.brand = BrandRendering(brand: brand, links: links)
        self.style = style
        self.wakesOnRead = wakesOnRead
        self.dialect = dialect
        path = PercentEncoding.encode(projectID.utf8, .segment, prefix: "/v1/projects/", suffix: "/messages:send")
        var writer = JSONWriter(capacity: 96)
        writer.literal("\",\"data\":{\"brandId\":")
        writer.string(brand.id.rawValue)
        brandMember = writer.bytes
    }

    /// Renders one push.
    ///
    /// - Parameters:
    ///   - job: The push.
    ///   - now: The wall clock: FCM expects a time to live, not a time of expiry.
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
        writer.literal("\"}")
        switch job.platform {
        case .ios: badgeAPNs(job, now: now, to: &writer)
        case .web: badgeWebPush(job, now: now, to: &writer)
        case .android, .harmony: badgeAndroid(job, now: now, to: &writer)
        }
        writer.literal("}}")
        return writer.bytes
    }

    private func body(_ message: Message, job: PushJob, now: Timestamp) -> [UInt8] {
        let words = message.silent ? .none : brand.words(of: message, for: job)
        return TextFitting.body(
            // Escapes in a token would count against the text; real tokens have none.
            limit: Self.maxPayloadBytes + job.token.utf8.count,
            text: words.text,
            dataBytes: message.data?.text.utf8.count,
            copies: showsText(message, on: job.platform) ? 2 : 1,
            render: { full(message, job: job, now: now, title: words.title, fit: $0) },
            bare: { bare(message, job: job, now: now) }
        )
    }

    /// Returns whether the message also carries its text outside `data`, for the system or the browser to show.
    func showsText(_ message: Message, on platform: DevicePlatform) -> Bool {
        // On an Apple device only the system shows notifications.
        !message.silent && (style == .notification || platform == .ios)
    }

    private func full(
        _ message: Message,
        job: PushJob,
        now: Timestamp,
        title: String,
        fit: TextFitting.Fit
    ) -> [UInt8] {
        if dialect != .switchboard {
            return translated(DialectPush(message, job, brand, title: title, fit: fit, asText: true), now: now)
        }
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
        if fit.extras != .none, let agent = brand.agent(of: message) {
            writer.literal(",\"agent\":\"")
            writer.escaped(String(decoding: agent, as: UTF8.self))
            writer.literal("\"")
        }
        let link = message.link.choice(for: job.platform, opening: brand.links)
        if let link {
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
        let shown = Shown(title: title, text: fit.text, isCut: fit.isCut, link: link, isBare: false)
        platform(message, job: job, now: now, shown, to: &writer)
        return writer.bytes
    }

    /// Renders the push that always fits: every member in it is bounded by its type or left out.
    private func bare(_ message: Message, job: PushJob, now: Timestamp) -> [UInt8] {
        if dialect != .switchboard { return translated(.bare(message, job, brand, asText: true), now: now) }
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
        let text = BrandRendering.genericText[...]
        let shown = Shown(title: brand.bareTitle, text: text, isCut: false, link: nil, isBare: true)
        platform(message, job: job, now: now, shown, to: &writer)
        return writer.bytes
    }

    /// Renders a push in the format of another system.
    private func translated(_ push: DialectPush, now: Timestamp) -> [UInt8] {
        var writer = JSONWriter(
            capacity: 1536 + push.job.token.utf8.count
                + 2 * (push.text.utf8.count + (push.data?.text.utf8.count ?? 0))
        )
        writer.literal("{\"message\":{\"token\":\"")
        writer.escaped(push.job.token)
        writer.literal("\",\"data\":{")
        push.write(dialect, brand: brand.brand, to: &writer)
        writer.literal("}")
        let shown = Shown(
            title: push.title,
            text: push.text,
            isCut: push.isCut,
            link: push.link,
            isBare: push.isBare
        )
        platform(push.message, job: push.job, now: now, shown, to: &writer)
        return writer.bytes
    }

    /// The visible content of a notification.
    struct Shown {
        /// The title; nil if it would not fit.
        var title: String?
        /// The text, or the part of it that fits.
        var text: Substring
        /// Whether the text is truncated and ends with an ellipsis.
        var isCut: Bool
        /// The link for the device; nil when there is none or it would not fit.
        var link: (text: String, isUnverified: Bool)?
        /// Whether members of unbounded length are left out.
        var isBare: Bool
    }

    /// Writes the part for the device's platform and ends the message.
    private func platform(
        _ message: Message,
        job: PushJob,
        now: Timestamp,
        _ shown: Shown,
        to writer: inout JSONWriter
    ) {
        switch job.platform {
        case .ios: apns(message, job: job, now: now, shown, to: &writer)
        case .web: webPush(message, job: job, now: now, shown, to: &writer)
        case .android, .harmony: android(message, job: job, now: now, shown, to: &writer)
        }
        writer.literal("}}")
    }

    private func open(_ job: PushJob, to writer: inout JSONWriter) {
        writer.literal("{\"message\":{\"token\":\"")
        writer.escaped(job.token)
        writer.raw(brandMember)
    }

    /// Starts the message and writes the members of `data` that every push of a message has; all values are strings,
    /// and none of the names is reserved (ProviderFacts page, B2).
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
            // A data message has the same form whether it is to be shown or not; only this member informs the app.
            writer.literal(",\"silent\":\"true\"")
        }
        if job.summary > 0 {
            writer.literal(",\"summary\":\"")
            writer.integer(job.summary)
            writer.literal("\"")
        }
        // The app that shows a data message chooses its sound.
        if job.isQuiet { writer.literal(",\"quiet\":\"true\"") }
        if !message.silent, let badge = job.badge {
            writer.literal(",\"badge\":\"")
            writer.integer(badge)
            writer.literal("\"")
        }
    }

    /// Writes `title` and `body` of a notification, without the braces.
    func titleAndBody(_ shown: Shown, to writer: inout JSONWriter) {
        if let title = shown.title {
            writer.literal("\"title\":")
            writer.string(title)
            writer.literal(",")
        }
        writer.literal("\"body\":\"")
        writer.escaped(shown.text)
        writer.literal(shown.isCut ? "…\"" : "\"")
    }

    /// Returns how long FCM may store the message: whole seconds, from 0 to four weeks.
    func secondsToLive(_ job: PushJob, now: Timestamp) -> Int64 {
        let (difference, overflow) = job.expiresAt.milliseconds.subtractingReportingOverflow(now.milliseconds)
        let seconds = overflow ? (job.expiresAt > now ? Int64.max : 0) : difference / 1000
        return min(max(seconds, 0), Self.maxTimeToLiveSeconds)
    }
}
