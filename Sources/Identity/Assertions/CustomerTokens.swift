internal import Cryptography
package import GatewayModel
internal import TextFormats

/// The ids by which Bloomreach's SDK names a customer; other ids are not used.
package struct CustomerIDs: Sendable, Equatable {
    /// The consumer.
    package var registered: ConsumerID?
    /// The id that the SDK generated: an anonymous consumer, or one that was merged since.
    package var cookie: ConsumerID?

    /// Creates ids.
    package init(registered: ConsumerID? = nil, cookie: ConsumerID? = nil) {
        self.registered = registered
        self.cookie = cookie
    }

    /// The id that determines the consumer; nil when there is none.
    package var main: ConsumerID? { registered ?? cookie }
}

/// A verified customer token.
package struct VerifiedCustomerToken: Sendable {
    /// The ids of its `sub`, at least one.
    package var ids: CustomerIDs
    /// The holder of its key, without any scope.
    package var caller: ServiceAccountIdentity
}

/// Verifies and mints Bloomreach's customer tokens: JWTs with HS256, whose `kid` is a `customerTokenKey` of the brand and
/// whose `sub` is an object of ids (documentation.bloomreach.com, "Customer token").
///
/// Thread-safe. A token may be presented any number of times until it expires (R144).
package struct CustomerTokens: Sendable {
    /// The range of a minted token's lifetime, in seconds.
    package static let lifeSeconds: ClosedRange<Int64> = 60...86_400
    /// The lifetime of a minted token for which none is named, in seconds.
    package static let defaultLifeSeconds: Int64 = 3600

    private let directory: Directory
    private let clock: any GatewayClock

    /// Creates a verifier with the keys of a directory; the clock is for the times of claims.
    package init(directory: Directory, clock: any GatewayClock) {
        self.directory = directory
        self.clock = clock
    }

    /// Verifies a token; the signature first (R140, R142).
    ///
    /// - Parameters:
    ///   - token: The compact JWS.
    ///   - brand: The brand of the request; another brand's key counts as unknown.
    /// - Returns: The ids.
    /// - Throws: ``AuthenticationError``: `token_expired` after `exp`, else `token_invalid`.
    package func verify(_ token: String, brand: BrandID) throws(AuthenticationError) -> VerifiedCustomerToken {
        guard token.utf8.count <= CompactJWS.maxBytes else { throw .tokenInvalid(.malformed) }
        let jws = try CompactJWS(Array(token.utf8))
        let snapshot = directory.snapshot
        guard let name = jws.header["kid"]?.text.flatMap({ BoundedName($0) }) else { throw .tokenInvalid(.unknownKey) }
        guard let key = snapshot.customerTokenKeys[name], key.caller.brand == brand else {
            let isRevoked = snapshot.revokedCustomerTokenKeys.contains(name, of: brand)
            throw .tokenInvalid(isRevoked ? .revoked : .unknownKey)
        }
        guard key.isActive(at: clock.now) else { throw .tokenInvalid(.revoked) }
        guard jws.isSigned(by: HMACAlgorithm.hs256) else { throw .tokenInvalid(.wrongAlgorithm) }
        // Compared in constant time.
        guard
            HMAC<SHA256>.isValidAuthenticationCode(jws.signature, authenticating: jws.signingInput, using: key.secret)
        else { throw .tokenInvalid(.badSignature) }
        // Permanent errors come before those that time resolves.
        let times = try AssertionTimes(jws.claims, needsIssueTime: false)
        guard let subject = jws.claims["sub"] else { throw .missingClaim("sub") }
        guard let members = subject.members else { throw .tokenInvalid(.malformed) }
        let ids = CustomerIDs(registered: try Self.id("registered", members), cookie: try Self.id("cookie", members))
        guard ids.main != nil else { throw .missingClaim("sub") }
        try times.check(at: clock.now)
        return VerifiedCustomerToken(ids: ids, caller: key.caller)
    }

    private static func id(
        _ name: BoundedName,
        _ members: StrictJSON.Members
    ) throws(AuthenticationError) -> ConsumerID? {
        guard let value = members[name], value != .null else { return nil }
        guard let id = value.text.flatMap({ ConsumerID($0) }) else { throw .tokenInvalid(.malformed) }
        return id
    }

    /// Mints a token (R146), with the newest key unless one is named.
    ///
    /// - Parameters:
    ///   - ids: The ids of the customer, whom the caller has verified.
    ///   - brand: The brand.
    ///   - keyID: The key.
    ///   - seconds: The lifetime, within ``lifeSeconds``.
    /// - Returns: The token and the id of its key; nil when there is no such key.
    package func mint(
        _ ids: CustomerIDs,
        brand: BrandID,
        keyID: String?,
        seconds: Int64
    ) -> (token: String, keyID: String)? {
        let now = clock.now
        let keys = directory.snapshot.customerTokenKeys.values.filter { key in
            key.caller.brand == brand && key.isActive(at: now) && (keyID?.hasSameBytes(as: key.caller.id) ?? true)
        }
        let newest = keys.max { ($0.createdAt, $0.caller.id) < ($1.createdAt, $1.caller.id) }
        guard let key = newest else { return nil }
        var subject = StrictJSON.Members()
        subject["registered"] = ids.registered.map { .string($0.rawValue) }
        subject["cookie"] = ids.cookie.map { .string($0.rawValue) }
        let header: StrictJSON = .object([
            "alg": .string("HS256"), "typ": .string("JWT"), "kid": .string(key.caller.id),
        ])
        let claims: StrictJSON = .object([
            "sub": .object(subject), "iat": .integer(now.seconds), "exp": .integer(now.seconds + seconds),
        ])
        let input = StrictBase64.encode(header.sortedText, .url) + "." + StrictBase64.encode(claims.sortedText, .url)
        let signature = HMAC<SHA256>.authenticationCode(for: input.utf8, using: key.secret)
        return (input + "." + StrictBase64.encode(signature, .url), key.caller.id)
    }
}
