import Crypto
import FoundationEssentials
package import GatewayModel
import GatewayStorage

/// Verifies consumers' assertions that a back-end signed with an SDK key (CCAI; R25-R29, R31-R33).
///
/// The key pins its algorithm; the signature is checked before anything else is believed, so that an expired token and a
/// forged one are told apart (R54) and an expired forgery is called forged. Any thread may call.
package struct SDKKeyVerifier: Sendable {
    private let directory: Directory
    private let clock: any GatewayClock

    /// How far a signer's clock may run ahead of ours, in seconds (R26).
    private static let maxSkewSeconds: Int64 = 60
    /// How long past `exp` a token is still taken, in seconds: just enough for its way here.
    private static let leewaySeconds: Int64 = 5
    /// Seconds since 1970 have eleven digits until the year 5138; more are milliseconds.
    private static let maxNumericDate: Int64 = 99_999_999_999

    /// Verifies against the keys of a directory.
    ///
    /// - Parameters:
    ///   - directory: Where the keys are.
    ///   - clock: For the claims' times.
    package init(directory: Directory, clock: any GatewayClock) {
        self.directory = directory
        self.clock = clock
    }

    /// Verifies an assertion.
    ///
    /// - Parameters:
    ///   - token: The compact JWS.
    ///   - keyName: The key's name where the request gives it; else the token's `iss` or `kid` names it.
    ///   - brand: The brand of the request; another brand's key is unknown here (R188).
    /// - Returns: What the assertion says.
    /// - Throws: ``AuthenticationError``.
    package func verify(
        _ token: String,
        keyName: String?,
        brand: BrandID
    ) throws(AuthenticationError) -> VerifiedAssertion {
        let jws = try CompactJWS(Array(token.utf8))
        let key = try key(of: jws, named: keyName, brand: brand)
        guard jws.algorithm == key.algorithm.rawValue else { throw .tokenInvalid(.wrongAlgorithm) }
        guard Self.isAuthentic(jws, key) else { throw .tokenInvalid(.badSignature) }
        try checkTimes(jws.claims)
        return try assertion(jws.claims, key)
    }

    private func key(
        of jws: CompactJWS,
        named name: String?,
        brand: BrandID
    ) throws(AuthenticationError) -> SDKKey {
        let names = [name, jws.claims["iss"]?.text, jws.header["kid"]?.text].compactMap(\.self)
        // A name that the request gives is the only one that counts.
        for candidate in name == nil ? names : Array(names.prefix(1)) {
            if let key = directory.sdkKey(name: candidate), key.brand == brand {
                guard key.expiresAt.map({ clock.now < $0 }) ?? true else { throw .tokenInvalid(.revoked) }
                return key
            }
            if directory.brandOfRevokedSDKKey(name: candidate) == brand { throw .tokenInvalid(.revoked) }
        }
        throw .tokenInvalid(name == nil && jws.claims["iss"] != nil ? .unknownIssuer : .unknownKey)
    }

    private static func isAuthentic(_ jws: CompactJWS, _ key: SDKKey) -> Bool {
        let secret = SymmetricKey(data: key.secret)
        // swift-crypto compares in constant time.
        return switch key.algorithm {
        case .hs256:
            HMAC<SHA256>.isValidAuthenticationCode(jws.signature, authenticating: jws.signingInput, using: secret)
        case .hs384:
            HMAC<SHA384>.isValidAuthenticationCode(jws.signature, authenticating: jws.signingInput, using: secret)
        case .hs512:
            HMAC<SHA512>.isValidAuthenticationCode(jws.signature, authenticating: jws.signingInput, using: secret)
        }
    }

    private func checkTimes(_ claims: [String: StrictJSON]) throws(AuthenticationError) {
        let now = clock.now.seconds
        let issuedAt = try numericDate("iat", claims)
        let expiry = try numericDate("exp", claims)
        guard let issuedAt, let expiry else { throw .tokenInvalid(.missingClaim) }
        if now >= expiry + Self.leewaySeconds { throw .tokenExpired }
        if issuedAt > now + Self.maxSkewSeconds { throw .tokenInvalid(.notYetValid) }
        if let notBefore = try numericDate("nbf", claims), notBefore > now + Self.maxSkewSeconds {
            throw .tokenInvalid(.notYetValid)
        }
    }

    /// Whole seconds only: signers are known to print texts, milliseconds and time objects (seed-systems trap 18, 20).
    private func numericDate(_ name: String, _ claims: [String: StrictJSON]) throws(AuthenticationError) -> Int64? {
        switch claims[name] {
        case nil: return nil
        case .integer(let value)? where value >= 0 && value <= Self.maxNumericDate: return value
        default: throw .tokenInvalid(.malformed)
        }
    }

    private func assertion(
        _ claims: [String: StrictJSON],
        _ key: SDKKey
    ) throws(AuthenticationError) -> VerifiedAssertion {
        var consumer: ConsumerID?
        if let claim = claims["identifier"], claim != .null {
            guard let text = claim.text, let id = ConsumerID(text) else {
                throw .invalidClaim(
                    name: "identifier",
                    detail: "must be 1 to 256 bytes of text without control characters"
                )
            }
            consumer = id
        }
        let isAnonymous = consumer == nil
        if isAnonymous, directory.brand(key.brand)?.settings.anonymousConsumers != true {
            throw .tokenInvalid(.missingClaim)
        }
        return VerifiedAssertion(
            brand: key.brand,
            consumer: consumer ?? ConsumerID(trusted: UUID().uuidString.lowercased()),
            anonymous: isAnonymous,
            profile: ConsumerProfile(
                name: try text("name", claims),
                email: try text("email", claims),
                phone: try phone(claims)
            ),
            pushToken: try text("push_token", claims, maxBytes: 4096),
            app: key.app,
            keyName: key.name
        )
    }

    /// An optional text; empty and null mean absent.
    private func text(
        _ name: String,
        _ claims: [String: StrictJSON],
        maxBytes: Int = 256
    ) throws(AuthenticationError) -> String? {
        switch claims[name] {
        case nil, .null?: return nil
        case .string(let text)? where text.utf8.count <= maxBytes: return text.isEmpty ? nil : text
        default: throw .invalidClaim(name: name, detail: "must be a text of at most \(maxBytes) bytes")
        }
    }

    /// E.164: `+` and 2 to 15 digits, the first not 0 (R31).
    private func phone(_ claims: [String: StrictJSON]) throws(AuthenticationError) -> String? {
        guard let phone = try text("phone", claims) else { return nil }
        let digits = phone.utf8.dropFirst()
        guard phone.utf8.first == UInt8(ascii: "+"), (2...15).contains(digits.count),
            digits.first != UInt8(ascii: "0"), digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 })
        else { throw .invalidClaim(name: "phone", detail: "must be empty or E.164: + and up to 15 digits") }
        return phone
    }
}
