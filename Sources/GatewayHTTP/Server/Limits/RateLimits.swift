/// The rate limits of callers, in requests a second on average; 0 means no limit.
///
/// Each caller has a bucket that holds ``burstSeconds`` worth of requests and fills at its rate, so that bursts pass
/// and only a sustained rate is slowed down.
package struct RateLimits: Sendable, Equatable {
    /// Per service account: more than one back-end needs, so that only a runaway loop reaches it.
    package var accountPerSecond: Int
    /// Per credential with which consumers log in, in logins a second: like an account's, more than a brand's devices
    /// need, so that only a stolen key or a runaway loop reaches it.
    package var credentialPerSecond: Int
    /// Per consumer's session: an app that sustains this rate is broken.
    package var sessionPerSecond: Int
    /// Per address, for requests without a credential and for rejected credentials.
    package var addressPerSecond: Int

    /// The number of seconds' worth of requests that may come at once.
    package static let burstSeconds = 5

    /// Creates limits; the defaults are those of the settings.
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
