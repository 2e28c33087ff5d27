/// The provider token of one connection; a new connection has none.
///
/// A pure value; see ``ProviderTokenSigner`` for the rule.
struct ConnectionToken {
    /// The age in seconds at which a connection changes to the newest token.
    static let changeSeconds: Int64 = 50 * 60
    /// The age in seconds up to which an old token is kept after TooManyProviderTokenUpdates, a little below its
    /// lifetime of one hour.
    static let keepSeconds: Int64 = 57 * 60

    /// The shortest time in seconds between the first use of a token and its replacement on the connection; Apple
    /// rejects earlier ones.
    static let minUseSeconds: Int64 = 20 * 60

    private var current: ProviderToken?
    /// The time of the current token's first use on this connection, on the monotonic clock.
    private var usedSince: UInt64 = 0
    private var previous: ProviderToken?
    private var changesAt = Self.changeSeconds

    /// Returns the token for a request that is sent now; nil when there is none.
    mutating func token(_ now: Moment, newest: (Moment) -> ProviderToken?) -> ProviderToken? {
        if let current, now.seconds(since: current.signedAt) < changesAt { return current }
        guard let token = newest(now) else { return nil }
        previous = current?.number == token.number ? previous : current
        if current?.number != token.number { usedSince = now.monotonic }
        current = token
        changesAt = Self.changeSeconds
        return token
    }

    /// Replaces the current token, which Apple reported as expired.
    mutating func renewed(_ token: ProviderToken, _ now: Moment) {
        if current?.number != token.number { usedSince = now.monotonic }
        current = token
        previous = nil
        changesAt = Self.changeSeconds
    }

    /// Replaces a token that Apple reported as expired on another connection, or a push that is sent again could use it
    /// a second time; but not so soon that Apple would reject the change.
    mutating func renewedElsewhere(failed: UInt64, _ token: ProviderToken, _ now: Moment) {
        guard current?.number == failed, now.seconds(since: usedSince) >= Self.minUseSeconds else { return }
        renewed(token, now)
    }

    /// Returns to the previous token, if it is still valid, after Apple reported that the new one came too early.
    mutating func keepOld(failed: UInt64, _ now: Moment) {
        guard let old = previous, current?.number == failed, now.seconds(since: old.signedAt) < Self.keepSeconds else {
            return
        }
        current = old
        previous = nil
        changesAt = Self.keepSeconds
    }
}
