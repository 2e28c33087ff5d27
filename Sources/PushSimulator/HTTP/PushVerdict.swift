/// The provider's result of one request, before any rule changes it.
package struct PushVerdict: Sendable {
    /// The device token of the push, if the request was valid enough to contain one.
    package var token: String?
    /// Nil when accepted, else the provider's reason: Apple's `reason`, Google's error code, OAuth's `error`.
    package var reason: String?
    /// The response.
    package var reply: SimulatorReply

    /// Creates a verdict.
    ///
    /// - Parameters:
    ///   - token: The device token of the push.
    ///   - reason: The provider's reason for a rejection.
    ///   - reply: The response.
    package init(token: String?, reason: String?, reply: SimulatorReply) {
        self.token = token
        self.reason = reason
        self.reply = reply
    }

    /// Whether the push was accepted.
    package var isAccepted: Bool { self.reason == nil }
}
