import Cryptography
import FoundationEssentials
import GatewayModel
import Synchronization
import TextFormats

/// Signs the provider tokens of one (team, key) for all lanes of this process.
///
/// Any thread.
///
/// Apple requires that a token is changed at most every 20 and at least every 60 minutes, counted on each connection
/// from the first use (ProviderFacts page, A5). So at most one is signed every 25 minutes; a connection uses the newest
/// and keeps it until it is 50 minutes old (``ConnectionToken``): no connection sees two tokens within 20 minutes.
final class ProviderTokenSigner: Sendable {
    /// The shortest time between two tokens.
    static let minSecondsBetweenTokens: Int64 = 25 * 60
    /// The shortest time between two tokens that were signed because Apple reported one as expired.
    static let minSecondsBetweenRenewals: Int64 = 20 * 60

    private struct State {
        var newest: ProviderToken?
        var lastNumber: UInt64 = 0
        var renewedAt: UInt64?
    }

    private let teamID: String
    private let keyID: String
    private let key: P256.PrivateKey
    private let state = Mutex(State())

    init(teamID: String, keyID: String, key: P256.PrivateKey) {
        self.teamID = teamID
        self.keyID = keyID
        self.key = key
    }

    /// Returns the newest token, which is younger than 25 minutes; nil when signing failed.
    func newest(_ now: Moment) -> ProviderToken? {
        // Signing takes about a tenth of a millisecond, every 25 minutes: under the lock, so that it happens once.
        state.withLock { state in
            if let token = state.newest, now.seconds(since: token.signedAt) < Self.minSecondsBetweenTokens {
                return token
            }
            return sign(&state, now)
        }
    }

    /// Returns a token to replace one that Apple reported as expired: the current one if that is already another, else
    /// a new one; nil when one was renewed recently: then the cause is the clock, not the token.
    func renewed(failed: UInt64, _ now: Moment) -> ProviderToken? {
        state.withLock { state in
            if let token = state.newest, token.number != failed { return token }
            if let last = state.renewedAt, now.seconds(since: last) < Self.minSecondsBetweenRenewals { return nil }
            state.renewedAt = now.monotonic
            return sign(&state, now)
        }
    }

    private func sign(_ state: inout State, _ now: Moment) -> ProviderToken? {
        var header = JSONWriter(capacity: 48)
        header.literal("{\"alg\":\"ES256\",\"kid\":")
        header.string(keyID)
        header.literal("}")
        var claims = JSONWriter(capacity: 48)
        claims.literal("{\"iss\":")
        claims.string(teamID)
        claims.literal(",\"iat\":")
        claims.integer(now.wall.seconds)
        claims.literal("}")
        let input = StrictBase64.encode(header.bytes, .url) + "." + StrictBase64.encode(claims.bytes, .url)
        guard let signature = try? key.signature(for: input.utf8) else { return nil }
        state.lastNumber += 1
        let token = ProviderToken(
            number: state.lastNumber,
            // JWS requires raw r and s, 64 bytes, not DER (RFC 7518 section 3.4).
            authorization: "bearer " + input + "." + StrictBase64.encode(signature, .url),
            signedAt: now.monotonic
        )
        state.newest = token
        return token
    }
}
