/// Which provider token one connection uses; a new one has seen none.
///
/// A pure value; see ``ProviderTokenSigner`` for the rule.
struct ConnectionToken {
    /// At this age a connection changes to the newest token.
    static let changeSeconds: Int64 = 50 * 60
    /// An old token that Apple told us to keep is kept to this age, a little below the hour that ends it.
    static let keepSeconds: Int64 = 57 * 60

    /// Apple refuses a token that takes the place of one sooner after its first use on the connection.
    static let minUseSeconds: Int64 = 20 * 60

    private var current: ProviderToken?
    /// When the current token was first used here, on the monotonic clock.
    private var usedSince: UInt64 = 0
    private var previous: ProviderToken?
    private var changesAt = Self.changeSeconds

    /// The token for a request that leaves now.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - newest: The signer's newest token.
    /// - Returns: Nil when there is none.
    mutating func token(_ now: Moment, newest: (Moment) -> ProviderToken?) -> ProviderToken? {
        if let current, now.seconds(since: current.signedAt) < changesAt { return current }
        guard let token = newest(now) else { return nil }
        previous = current?.number == token.number ? previous : current
        if current?.number != token.number { usedSince = now.monotonic }
        current = token
        changesAt = Self.changeSeconds
        return token
    }

    /// Apple called the current token expired, and this one takes its place.
    mutating func renewed(_ token: ProviderToken, _ now: Moment) {
        if current?.number != token.number { usedSince = now.monotonic }
        current = token
        previous = nil
        changesAt = Self.changeSeconds
    }

    /// Apple called a token expired on another connection: changed here too, or a push that is sent again could meet it a
    /// second time; but not so soon that Apple would refuse the change.
    mutating func renewedElsewhere(failed: UInt64, _ token: ProviderToken, _ now: Moment) {
        guard current?.number == failed, now.seconds(since: usedSince) >= Self.minUseSeconds else { return }
        renewed(token, now)
    }

    /// Apple says that the token came too early: back to the one before it, if it still lives.
    mutating func keepOld(failed: UInt64, _ now: Moment) {
        guard let old = previous, current?.number == failed, now.seconds(since: old.signedAt) < Self.keepSeconds else {
            return
        }
        current = old
        previous = nil
        changesAt = Self.keepSeconds
    }
}
