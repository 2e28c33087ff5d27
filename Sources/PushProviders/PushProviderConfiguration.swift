package import HTTP2Connections
package import NIOCore

/// The limits of providers.
///
/// Any thread.
package struct PushProviderConfiguration: Sendable {
    /// Connections: dialling, pings, ages.
    package var connection = HTTP2ConnectionConfiguration()

    /// How many connections all providers together may have at once, 1 or more: 2,048.
    ///
    /// Each is a descriptor, and some 100 KB of memory while it is busy.
    package var maxConnections = 2048

    /// How long one push may take: 15 s; Google wants at least 10 s (ProviderFacts page, B5, F6).
    package var requestTimeout: TimeAmount = .seconds(15)

    /// How long fetching an access token may take.
    package var tokenTimeout: TimeAmount = .seconds(10)

    /// The first wait after a failed fetch of an access token.
    package var tokenBackoffBase: TimeAmount = .seconds(1)

    /// The longest wait between fetches of an access token.
    package var tokenBackoffCap: TimeAmount = .minutes(5)

    /// Messages that leave in a minute for one FCM project, 60 or more: what Google allows one that has not asked for more
    /// (firebase.google.com/docs/cloud-messaging/throttling-and-quotas).
    package var fcmMessagesPerMinute: Int64 = 600_000

    /// The defaults.
    package init() {}
}
