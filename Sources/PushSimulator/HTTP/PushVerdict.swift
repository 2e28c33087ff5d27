/// What a provider makes of one request, before any rule changes it.
package struct PushVerdict: Sendable {
    /// The device the push is for, when the request got far enough to name one.
    package var token: String?
    /// Nil when accepted, else the provider's own word: Apple's `reason`, Google's error code, OAuth's `error`.
    package var reason: String?
    /// The answer.
    package var reply: SimulatorReply

    /// Takes a verdict.
    ///
    /// - Parameters:
    ///   - token: The device the push is for.
    ///   - reason: The provider's word for a refusal.
    ///   - reply: The answer.
    package init(token: String?, reason: String?, reply: SimulatorReply) {
        self.token = token
        self.reason = reason
        self.reply = reply
    }

    /// Whether the push was accepted.
    package var isAccepted: Bool { self.reason == nil }
}
