import GatewayModel
import TextFormats

/// The `android` part of a message
/// (https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages#androidconfig).
extension FCMRenderer {
    /// Writes the `notification` that the system shows, and `android`.
    func android(_ message: Message, job: PushJob, now: Timestamp, _ shown: Shown, to writer: inout JSONWriter) {
        let isShown = showsText(message, on: job.platform)
        if isShown {
            writer.literal(",\"notification\":{")
            titleAndBody(shown, to: &writer)
            writer.literal("}")
        }
        // FCM demotes apps that use HIGH for messages that show nothing (ProviderFacts page, B5).
        writer.literal(
            APNsRules.isUrgent(message, job) && !message.silent
                ? ",\"android\":{\"priority\":\"HIGH\"" : ",\"android\":{\"priority\":\"NORMAL\""
        )
        timeToLive(job, now: now, to: &writer)
        // FCM keeps only four different keys for a device (ProviderFacts page, B3): with a key for each message the
        // fifth would be lost. So there is no key unless the event has one.
        let summaryTag = job.summaryTag(of: message)
        let collapseKey =
            summaryTag == nil
            ? message.collapseKey.map { HeaderText.collapseKey($0, maxBytes: Self.maxCollapseKeyBytes) } : nil
        if let collapseKey {
            writer.literal(",\"collapse_key\":")
            writer.string(collapseKey)
        }
        if isShown {
            writer.literal(",\"notification\":{\"tag\":\"")
            if let tag = summaryTag ?? collapseKey { writer.escaped(tag) } else { writer.identifier(message.id) }
            writer.literal("\"")
            notification(message, job: job, isBare: shown.isBare, to: &writer)
            writer.literal("}")
        }
        writer.literal("}")
    }

    /// Writes the members of `android.notification` except its tag.
    private func notification(_ message: Message, job: PushJob, isBare: Bool, to writer: inout JSONWriter) {
        if let badge = job.badge {
            writer.literal(",\"notification_count\":")
            writer.integer(min(max(badge, 0), Int64(Int32.max)))
        }
        if job.isQuiet {
            writer.literal(",\"channel_id\":\"")
            writer.literal(Self.quietChannel)
            writer.literal("\",\"notification_priority\":\"PRIORITY_LOW\"")
        } else if let sound = message.sound ?? job.sound, !isBare || sound.utf8.count <= JSONWriter.maxBareSoundBytes {
            writer.literal(",\"sound\":")
            writer.string(sound)
        }
    }

    /// Writes `android` of a push that only sets the badge.
    func badgeAndroid(_ job: PushJob, now: Timestamp, to writer: inout JSONWriter) {
        // Only the newest badge counts, so waiting ones may replace each other.
        writer.literal(",\"android\":{\"priority\":\"NORMAL\",\"collapse_key\":\"switchboard.badge\"")
        timeToLive(job, now: now, to: &writer)
        writer.literal("}")
    }

    /// Writes `ttl`, a duration.
    private func timeToLive(_ job: PushJob, now: Timestamp, to writer: inout JSONWriter) {
        writer.literal(",\"ttl\":\"")
        writer.integer(secondsToLive(job, now: now))
        writer.literal("s\"")
    }
}
