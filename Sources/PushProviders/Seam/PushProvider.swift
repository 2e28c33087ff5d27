/// One provider with one credential in one environment: renders the pushes of its source, sends them, and interprets
/// the responses by the provider's tables.
package protocol PushProvider: AnyObject, Sendable {
    /// The limit of pushes per minute of this provider and those that share its quota; nil sets no limit.
    var quota: PushQuota? { get }

    /// Notifies the provider that the source has pushes; any thread, coalesced, cheap. Connects when there is no
    /// connection.
    func wake()

    /// Opens a connection and checks the credential without sending a push, for `switchboard check`; the result has no
    /// secrets.
    func check() async -> PushProviderVerdict

    /// Finishes pushes in flight, then closes. Pushes without a response in time get the result unknown.
    func shutdown(within limit: Duration) async
}

extension PushProvider {
    /// Nil: no limit.
    package var quota: PushQuota? { nil }
}

/// The result of a check of a provider.
package struct PushProviderVerdict: Sendable {
    /// Whether pushes could be sent.
    package var isUsable: Bool
    /// The finding as text, without secrets.
    package var text: String
    /// A remedy for operators; nil when there is none, or the text names it.
    package var advice: String?

    /// Creates a result.
    package init(isUsable: Bool, text: String, advice: String? = nil) {
        self.isUsable = isUsable
        self.text = text
        self.advice = advice
    }
}
