import GatewayModel
import TextFormats

/// The `apns` part of a message, for Apple devices that use FCM
/// (https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages#apnsconfig).
///
/// FCM sets `apns-topic` to the bundle id of the token's app. On the device the members of `data` are beside `aps`.
extension FCMRenderer {
    /// Writes `apns`: the same `aps` and header fields as for APNs directly.
    func apns(_ message: Message, job: PushJob, now: Timestamp, _ shown: Shown, to writer: inout JSONWriter) {
        let row: APNsPushTypeRow = message.silent ? .background : .alert
        openAPNs(
            row,
            priority: row.priority(APNsRules.isUrgent(message, job) ? .immediate : .powerAware),
            collapseID: APNsRules.collapseID(of: message, job),
            job: job,
            now: now,
            to: &writer
        )
        writer.aps(
            message,
            job,
            title: shown.title,
            text: shown.text,
            isCut: shown.isCut,
            isBare: shown.isBare,
            dialect: dialect
        )
        writer.literal("}}}")
    }

    /// Writes `apns` of a push that only sets the badge.
    func badgeAPNs(_ job: PushJob, now: Timestamp, to writer: inout JSONWriter) {
        openAPNs(
            .alert,
            priority: APNsPushTypeRow.alert.priority(.powerAware),
            collapseID: nil,
            job: job,
            now: now,
            to: &writer
        )
        writer.badgeAPS(job, wakesApp: wakesOnRead)
        writer.literal("}}}")
    }

    /// Writes the header fields, up to the first member of `aps`.
    private func openAPNs(
        _ row: APNsPushTypeRow,
        priority: APNsPriority,
        collapseID: String?,
        job: PushJob,
        now: Timestamp,
        to writer: inout JSONWriter
    ) {
        writer.literal(",\"apns\":{\"headers\":{\"apns-push-type\":")
        writer.string(row.name)
        writer.literal(",\"apns-priority\":")
        writer.string(priority.rawValue)
        writer.literal(",\"apns-expiration\":")
        writer.string(APNsRules.expiration(of: job, now: now))
        if let collapseID {
            writer.literal(",\"apns-collapse-id\":")
            writer.string(collapseID)
        }
        writer.literal("},\"payload\":{\"aps\":{")
    }
}
