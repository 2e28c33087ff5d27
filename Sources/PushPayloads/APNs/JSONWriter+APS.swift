import GatewayModel
import TextFormats

extension JSONWriter {
    /// The longest sound name of a push that is reduced to its bare form, in bytes.
    static var maxBareSoundBytes: Int { 64 }

    /// Writes the members of `aps` for a message (Apple, "Generating a remote notification"), without the braces.
    ///
    /// - Parameters:
    ///   - message: The message of the push.
    ///   - job: The push.
    ///   - title: The title; nil leaves it out.
    ///   - text: The text, or the part of it that fits.
    ///   - isCut: Whether the text is truncated and ends with an ellipsis.
    ///   - isBare: Whether members of unbounded length are left out, so that the push always fits.
    ///   - dialect: The format; LivePerson's `alert` is one text, with the title before a colon.
    mutating func aps(
        _ message: Message,
        _ job: PushJob,
        title: String?,
        text: Substring,
        isCut: Bool,
        isBare: Bool,
        dialect: AppSettings.Dialect = .switchboard
    ) {
        if message.silent {
            literal("\"content-available\":1")
            return
        }
        if dialect == .liveperson {
            literal("\"alert\":\"")
            if let title {
                escaped(title)
                literal(": ")
            }
            escaped(text)
            literal(isCut ? "…\"" : "\"")
        } else {
            literal("\"alert\":{")
            if let title {
                literal("\"title\":")
                string(title)
                literal(",")
            }
            literal("\"body\":\"")
            escaped(text)
            literal(isCut ? "…\"}" : "\"}")
        }
        if let badge = job.badge {
            literal(",\"badge\":")
            integer(badge)
        }
        if job.isQuiet {
            literal(",\"interruption-level\":\"passive\"")
        } else if let sound = message.sound ?? job.sound, !isBare || sound.utf8.count <= Self.maxBareSoundBytes {
            literal(",\"sound\":")
            string(sound)
        }
        literal(",\"thread-id\":")
        string(message.conversation.rawValue)
        if let category = message.category, !isBare {
            literal(",\"category\":")
            string(category)
        }
        literal(",\"mutable-content\":1")
    }

    /// Writes the members of `aps` for a push that only sets the badge, without the braces.
    ///
    /// - Parameters:
    ///   - job: The push.
    ///   - wakesApp: Whether to wake the app to remove notifications of read messages; iOS does not remove them itself.
    mutating func badgeAPS(_ job: PushJob, wakesApp: Bool) {
        literal("\"badge\":")
        integer(job.badge ?? 0)
        if wakesApp, !job.read.isEmpty { literal(",\"content-available\":1") }
    }
}
