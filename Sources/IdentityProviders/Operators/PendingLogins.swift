import GatewayModel

/// A sign-in that was begun and has not come back.
struct PendingLogin: Sendable, Equatable {
    /// The SHA-256 of the state, which the provider sends back.
    var stateHash: [UInt8]
    /// The SHA-256 of the cookie of the browser that began.
    var cookieHash: [UInt8]
    /// The nonce that the id token must have.
    var nonce: String
    /// The PKCE verifier (RFC 7636).
    var verifier: String
    /// The redirect URI of the authorization request.
    var redirectURI: String
    /// The page that is shown afterwards.
    var next: String
    /// The address that has the share.
    var owner: String
    /// When it was begun, for the times of tokens.
    var startedAt: Timestamp
    /// When it was begun, in monotonic nanoseconds.
    var started: UInt64
}

/// The sign-ins that were begun, the oldest first: a bounded number, with a share for each address.
///
/// There is always room for a new one: an address that has its share loses its own oldest one, and when there are too
/// many the address with the most loses its oldest one.
struct PendingLogins {
    /// The maximum number of sign-ins.
    static let capacity = 1000
    /// The maximum number of one address.
    static let capacityPerOwner = 20
    /// How long a person may take, in seconds.
    static let lifetimeSeconds: UInt64 = 600

    private var logins: [PendingLogin] = []

    /// Adds a sign-in.
    mutating func add(_ login: PendingLogin) {
        removeExpired(now: login.started)
        let counts = logins.reduce(into: [String: Int]()) { $0[$1.owner, default: 0] += 1 }
        if counts[login.owner] ?? 0 >= Self.capacityPerOwner {
            removeOldest(of: login.owner)
        } else if logins.count >= Self.capacity {
            let most = counts.values.max()
            if let oldest = logins.first(where: { counts[$0.owner] == most }) { removeOldest(of: oldest.owner) }
        }
        logins.append(login)
    }

    /// Removes and returns the sign-in of a state; nil when there is none, or it took too long.
    mutating func take(_ stateHash: [UInt8], now: UInt64) -> PendingLogin? {
        removeExpired(now: now)
        return logins.firstIndex { $0.stateHash == stateHash }.map { logins.remove(at: $0) }
    }

    private mutating func removeExpired(now: UInt64) {
        let kept = logins.firstIndex { now < $0.started + Self.lifetimeSeconds * 1_000_000_000 } ?? logins.endIndex
        logins.removeFirst(kept)
    }

    private mutating func removeOldest(of owner: String) {
        if let index = logins.firstIndex(where: { $0.owner == owner }) { logins.remove(at: index) }
    }
}
