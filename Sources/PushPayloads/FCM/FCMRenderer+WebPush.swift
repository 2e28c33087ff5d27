import GatewayModel
import TextFormats

/// The `webpush` part of a message, for browsers that use FCM
/// (https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages#webpushconfig).
extension FCMRenderer {
    /// The longest `Topic` (RFC 8030 section 5.4).
    static let maxTopicBytes = 32

    /// Writes `webpush`: with style `notification` the browser shows it, otherwise the page's service worker does.
    func webPush(_ message: Message, job: PushJob, now: Timestamp, _ shown: Shown, to writer: inout JSONWriter) {
        let summaryTag = job.summaryTag(of: message)
        openWebPush(
            isUrgent: APNsRules.isUrgent(message, job) && !message.silent,
            // A resend replaces a copy that the push service still stores.
            topic: HeaderText.topic(summaryTag ?? message.collapseKey ?? message.id.description),
            job: job,
            now: now,
            to: &writer
        )
        if showsText(message, on: job.platform) {
            writer.literal(",\"notification\":{")
            titleAndBody(shown, to: &writer)
            writer.literal(",\"tag\":")
            let collapseKey = message.collapseKey.map { HeaderText.collapseKey($0, maxBytes: Self.maxCollapseKeyBytes) }
            writer.string(summaryTag ?? collapseKey ?? message.id.description)
            // `badge` of a Web Notification is an icon, and browsers support no sounds.
            if job.isQuiet { writer.literal(",\"silent\":true") }
            writer.literal("}")
        }
        // A click opens the link without asking the app, so it must be a verified https link of the site.
        if let link = shown.link, !link.isUnverified, link.text.hasBytePrefix("https://") {
            writer.literal(",\"fcm_options\":{\"link\":")
            writer.string(link.text)
            writer.literal("}")
        }
        writer.literal("}")
    }

    /// Writes `webpush` of a push that only sets the badge.
    func badgeWebPush(_ job: PushJob, now: Timestamp, to writer: inout JSONWriter) {
        // Only the newest badge counts.
        openWebPush(isUrgent: false, topic: "switchboard-badge", job: job, now: now, to: &writer)
        writer.literal("}")
    }

    /// Writes the header fields of RFC 8030, all as strings.
    private func openWebPush(isUrgent: Bool, topic: String, job: PushJob, now: Timestamp, to writer: inout JSONWriter) {
        writer.literal(",\"webpush\":{\"headers\":{\"TTL\":\"")
        writer.integer(secondsToLive(job, now: now))
        writer.literal(isUrgent ? "\",\"Urgency\":\"high\",\"Topic\":" : "\",\"Urgency\":\"normal\",\"Topic\":")
        writer.string(topic)
        writer.literal("}")
    }
}
