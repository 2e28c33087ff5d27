/// Which provider token one connection uses; a new one has seen none.
///
/// A pure value; see ``ProviderTokenSigner`` for the rule.
struct ConnectionToken {
    /// At this age a connection changes to the newest token.
    static let changeSeconds: Int64 = 50 * 60
    /// An old token that Apple told us to keep is kept to this age, a little below the hour that ends it.
    static let keepSeconds: Int64 = 57 * 60

    private var current: ProviderToken?
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
        current = token
        changesAt = Self.changeSeconds
        return token
    }

    /// Apple called the current token expired, and this one takes its place.
    mutating func renewed(_ token: ProviderToken) {
        current = token
        previous = nil
        changesAt = Self.changeSeconds
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
