internal import GatewayModel
internal import TextFormats

extension Problem {
    /// Appends the error in the format of the wire adaptors (LimitsAndErrors page).
    ///
    /// - Parameters:
    ///   - writer: The writer.
    ///   - requestID: The request's id.
    ///   - isCampaign: Whether `code` and `message` come first, as LivePerson's API of campaigns has them. Its pages
    ///     (https://developers.liveperson.com, "Proactive messaging API") show only the error of an expired token.
    func writeEnvelope(to writer: inout JSONWriter, requestID: String, isCampaign: Bool = false) {
        writer.literal("{")
        if isCampaign {
            writer.member("code", 0)
            writer.member("message", code == .tokenExpired ? "jwt expired" : envelopeMessage)
        }
        writer.name(known: "error")
        writer.literal(#"{"code":"#)
        // R31: the systems behind the adaptors distinguish an invalid claim from an invalid body.
        writer.string(isAboutClaim ? "invalid_claim" : code.rawValue)
        writer.member("reason", orNull: reason)
        writer.member("message", envelopeMessage)
        writer.member("retryable", code.isRetryable)
        writer.member("requestId", requestID)
        writer.literal("}}")
    }

    /// Appends the error in gorush's format.
    func writeGorush(to writer: inout JSONWriter, status: Int) {
        writer.literal("{")
        writer.member("code", Int64(status))
        writer.member("message", envelopeMessage)
        writer.literal("}")
    }

    /// Appends the error in the format of LivePerson's monitoring API, whose codes are not public: ours is the status.
    func writeLivePerson(to writer: inout JSONWriter, status: Int, at now: Timestamp) {
        writer.literal("{")
        writer.member("time", now.milliseconds)
        writer.member("message", envelopeMessage)
        writer.member("internalCode", Int64(status))
        writer.literal("}")
    }

    /// Returns the detail with the invalid members: the format has no other place for them.
    private var envelopeMessage: String {
        guard !errors.isEmpty else { return detail }
        return detail + " " + errors.map { "\($0.pointer) \($0.detail)" }.joined(separator: "; ") + "."
    }
}
