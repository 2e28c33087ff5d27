internal import TextFormats

extension Problem {
    /// Appends the error in the format of the wire adaptors (LimitsAndErrors page).
    ///
    /// - Parameters:
    ///   - writer: The writer to append to.
    ///   - requestID: The request's id.
    func writeEnvelope(to writer: inout JSONWriter, requestID: String) {
        writer.literal(#"{"error":{"code":"#)
        // R31: the systems behind the adaptors distinguish an invalid claim from an invalid body.
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

    /// Returns the detail with the invalid members: the format has no other place for them.
    private var envelopeMessage: String {
        guard !errors.isEmpty else { return detail }
        return detail + " " + errors.map { "\($0.pointer) \($0.detail)" }.joined(separator: "; ") + "."
    }
}
