package import HTTP2Connections
package import NIOCore

/// The limits of providers.
///
/// Any thread.
package struct PushProviderConfiguration: Sendable {
    /// Connections: dialling, pings, ages.
    package var connection = HTTP2ConnectionConfiguration()

    /// The limit of simultaneous connections of all providers together, at least 1: 2,048.
    ///
    /// Each uses a file descriptor, and some 100 KB of memory while it is busy.
    package var maxConnections = 2048

    /// The timeout of one push: 15 s; Google requires at least 10 s (ProviderFacts page, B5, F6).
    package var requestTimeout: TimeAmount = .seconds(15)

    /// The timeout for fetching an access token.
    package var tokenTimeout: TimeAmount = .seconds(10)

    /// The first wait after a failed fetch of an access token.
    package var tokenBackoffBase: TimeAmount = .seconds(1)

    /// The longest wait between fetches of an access token.
    package var tokenBackoffCap: TimeAmount = .minutes(5)

    /// The limit of messages per minute for one FCM project, at least 60: Google's default quota
    /// (firebase.google.com/docs/cloud-messaging/throttling-and-quotas).
    package var fcmMessagesPerMinute: Int64 = 600_000

    /// The defaults.
    package init() {}
}
