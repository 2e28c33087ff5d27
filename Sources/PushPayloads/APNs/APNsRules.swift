import GatewayModel

/// The values of APNs header fields that depend on the push, whether it goes to APNs directly or through FCM.
enum APNsRules {
    /// Returns whether the push requests immediate delivery.
    static func isUrgent(_ message: Message, _ job: PushJob) -> Bool {
        (message.priority == .high || job.isUrgent) && !job.isQuiet
    }

    /// Returns `apns-expiration`: UNIX seconds; `0` is one attempt, not stored (Apple, "Sending notification requests
    /// to APNs").
    static func expiration(of job: PushJob, now: Timestamp) -> String {
        job.expiresAt.seconds > now.seconds ? String(job.expiresAt.seconds) : "0"
    }

    /// Returns `apns-collapse-id`, at most ``APNsRenderer/maxCollapseIDBytes`` bytes.
    ///
    /// The message's id if the event has no key: a resend replaces the visible notification.
    static func collapseID(of message: Message, _ job: PushJob) -> String {
        job.summaryTag(of: message)
            ?? message.collapseKey.map { HeaderText.collapseKey($0, maxBytes: APNsRenderer.maxCollapseIDBytes) }
            ?? message.id.description
    }
}
