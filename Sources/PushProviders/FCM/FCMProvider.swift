/// Sends to FCM for one lane (`providers.md` B).
package final class FCMProvider: PushProvider {
    private let core: ProviderCore

    init(core: ProviderCore) {
        self.core = core
    }

    /// Says that the source has something; any thread.
    package func wake() { core.wake() }

    /// Opens a connection and fetches an access token.
    ///
    /// - Returns: The verdict in plain words.
    package func check() async -> PushProviderVerdict { await core.check() }

    /// Finishes what is in flight, then closes.
    ///
    /// - Parameter limit: How long that may take.
    package func shutdown(within limit: Duration) async { await core.shutdown(within: limit) }
}
