internal import PushPayloads

extension Problem {
    /// Appends the refusal as the wire adaptors have it (LimitsAndErrors page).
    ///
    /// - Parameters:
    ///   - writer: Where to.
    ///   - requestID: The request's id.
    func writeEnvelope(to writer: inout JSONWriter, requestID: String) {
        writer.literal(#"{"error":{"code":"#)
        // R31: the systems behind the adaptors tell a bad claim from a bad body.
        writer.string(isAboutClaim ? "invalid_claim" : code.rawValue)
        writer.literal(#","reason":"#)
        if let reason { writer.string(reason) } else { writer.literal("null") }
        writer.literal(#","message":"#)
        writer.string(envelopeMessage)
        writer.literal(#","retryable":"#)
        writer.boolean(code.isRetryable)
        writer.literal(#","requestId":"#)
        writer.string(requestID)
        writer.literal("}}")
    }

    /// The detail with the members that are wrong: the shape has no other place for them.
    private var envelopeMessage: String {
        guard !errors.isEmpty else { return detail }
        return detail + " " + errors.map { "\($0.pointer) \($0.detail)" }.joined(separator: "; ") + "."
    }
}
