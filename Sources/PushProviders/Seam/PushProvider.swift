/// One provider under one credential in one environment: renders what its source hands over, sends it, and reads the
/// answers by the provider's tables.
package protocol PushProvider: AnyObject, Sendable {
    /// How many pushes leave in a minute, of this provider and of those that it is counted with; nil sets no limit.
    var quota: PushQuota? { get }

    /// Says that the source has something; any thread, coalesced, cheap. Connects when there is no connection.
    func wake()

    /// Opens a connection and obtains what the credential needs, without sending a push, for `switchboard check`.
    ///
    /// - Returns: The verdict in plain words, without secrets.
    func check() async -> PushProviderVerdict

    /// Finishes what is in flight, then closes; what is not answered in time is answered as unknown.
    ///
    /// - Parameter limit: How long that may take.
    func shutdown(within limit: Duration) async
}

extension PushProvider {
    /// There is no limit.
    package var quota: PushQuota? { nil }
}

/// What a check of a provider found.
package struct PushProviderVerdict: Sendable {
    /// Whether pushes could leave.
    package var isUsable: Bool
    /// What was found, in plain words, without secrets.
    package var text: String

    /// Takes a verdict.
    ///
    /// - Parameters:
    ///   - isUsable: Whether pushes could leave.
    ///   - text: What was found, in plain words.
    package init(isUsable: Bool, text: String) {
        self.isUsable = isUsable
        self.text = text
    }
}
