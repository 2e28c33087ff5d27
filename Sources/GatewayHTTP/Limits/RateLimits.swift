/// How often callers may ask, in requests a second on average; 0 sets no limit.
///
/// Each caller has a bucket that holds ``burstSeconds`` worth of requests and fills at its rate, so that bursts pass and
/// only a rate that lasts is slowed down.
package struct RateLimits: Sendable, Equatable {
    /// Of one service account: beyond what one back-end needs, so that only a loop that has gone wild meets it.
    package var accountPerSecond: Int
    /// Of one credential with which consumers log in, in logins a second: as of an account, beyond what a brand's devices need,
    /// so that only who has got hold of a key, or a loop, meets it.
    package var credentialPerSecond: Int
    /// Of one consumer's session: an app that asks this often for long is broken.
    package var sessionPerSecond: Int
    /// Of one address, for what needs no credential and for credentials that are refused.
    package var addressPerSecond: Int

    /// How many seconds' worth of requests may come at once.
    package static let burstSeconds = 5

    /// Takes limits; the defaults are those of the settings.
    ///
    /// - Parameters:
    ///   - accountPerSecond: Requests a second of one service account; 0 sets no limit.
    ///   - credentialPerSecond: Logins a second with one credential; 0 sets no limit.
    ///   - sessionPerSecond: Requests a second of one session; 0 sets no limit.
    ///   - addressPerSecond: Requests a second of one address without a good credential; 0 sets no limit.
    package init(
        accountPerSecond: Int = 10_000,
        credentialPerSecond: Int = 10_000,
        sessionPerSecond: Int = 20,
        addressPerSecond: Int = 20
    ) {
        self.accountPerSecond = accountPerSecond
        self.credentialPerSecond = credentialPerSecond
        self.sessionPerSecond = sessionPerSecond
        self.addressPerSecond = addressPerSecond
    }

    /// No limit for anybody.
    package static let none = RateLimits(
        accountPerSecond: 0,
        credentialPerSecond: 0,
        sessionPerSecond: 0,
        addressPerSecond: 0
    )
}
