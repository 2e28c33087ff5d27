/// Sends to APNs for one lane (`providers.md` A).
package final class APNsProvider: PushProvider {
    private let core: ProviderCore

    init(core: ProviderCore) {
        self.core = core
    }

    /// Says that the source has something; any thread.
    package func wake() { core.wake() }

    /// Opens a connection: DNS, TCP, TLS and the first SETTINGS.
    ///
    /// Apple says nothing of the key before the first push.
    ///
    /// - Returns: The verdict in plain words.
    package func check() async -> PushProviderVerdict { await core.check() }

    /// Finishes what is in flight, then closes.
    ///
    /// - Parameter limit: How long that may take.
    package func shutdown(within limit: Duration) async { await core.shutdown(within: limit) }
}
