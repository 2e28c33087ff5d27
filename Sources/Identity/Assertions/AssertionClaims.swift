internal import GatewayModel
internal import GatewayStorage
internal import TextFormats

/// Parsers for the claims of an assertion about its consumer.
enum AssertionClaims {
    /// Returns the consumer's id of a claim; throws ``AuthenticationError/invalidClaim(name:detail:)`` with the claim's
    /// name.
    static func consumer(_ claim: StrictJSON, name: String) throws(AuthenticationError) -> ConsumerID {
        guard let text = claim.text, let id = ConsumerID(text) else {
            throw .invalidClaim(name: name, detail: "must be 1 to 256 bytes of text without control characters")
        }
        return id
    }

    /// Returns the profile of an SDK key's assertion: an invalid claim is an error (R31).
    static func checkedProfile(_ claims: StrictJSON.Members) throws(AuthenticationError) -> ConsumerProfile {
        ConsumerProfile(
            name: try text("name", claims),
            email: try text("email", claims),
            phone: try phone("phone", claims)
        )
    }

    /// Rejects claims that an SDK key's assertion must not contain.
    static func check(_ claims: StrictJSON.Members) throws(AuthenticationError) {
        _ = try checkedProfile(claims)
        _ = try pushToken(claims)
    }

    /// The private claim (RFC 7519 section 4.3) that binds an assertion of the gateway's signer to the session that
    /// requested it.
    static let sessionName: BoundedName = "switchboard_session"

    /// Returns the claim for a session: the stored hash of its token, in base64url, which authenticates nobody.
    static func sessionClaim(_ session: StoredSession) -> StrictJSON {
        .string(StrictBase64.encode(session.tokenHash, .url))
    }

    /// Returns the token hash of the session that an assertion is bound to, if any.
    static func session(_ claims: StrictJSON.Members) throws(AuthenticationError) -> [UInt8]? {
        guard let claim = claims[sessionName] else { return nil }
        guard let text = claim.text, let hash = StrictBase64.decode(Array(text.utf8)[...], .url), hash.count == 32
        else {
            throw .tokenInvalid(.malformed)
        }
        return hash
    }

    /// The maximum length of a `jti`, in bytes.
    private static let maxIDBytes = 256

    /// Returns the record of a single-use assertion, by its `jti`.
    ///
    /// - Parameters:
    ///   - claims: The claims.
    ///   - brand: The brand.
    ///   - credential: The credential's id.
    ///   - expiry: The assertion's `exp`, after which it is rejected anyway.
    /// - Returns: The record for the store.
    /// - Throws: `missing_claim` without a `jti`, `malformed` for one that is not a string of 1 to 256 bytes.
    static func presentation(
        _ claims: StrictJSON.Members,
        brand: BrandID,
        credential: String,
        expiry: Int64
    ) throws(AuthenticationError) -> RedeemedCode {
        guard let claim = claims["jti"], claim != .null else { throw .missingClaim("jti") }
        guard let id = claim.text, (1...maxIDBytes).contains(id.utf8.count) else { throw .tokenInvalid(.malformed) }
        // Codes begin with their brand, which is not empty; neither a brand nor a credential's id contains a zero byte.
        let parts = "\0\(brand.rawValue)\0\(credential)\0\(id)"
        return RedeemedCode(
            hash: SecretHash.sha256(parts.utf8),
            keptFrom: Timestamp(milliseconds: expiry * 1000)
        )
    }

    /// Returns the push token in an assertion, if any (R32).
    static func pushToken(_ claims: StrictJSON.Members) throws(AuthenticationError) -> String? {
        try text("push_token", claims, maxBytes: 4096)
    }

    /// Returns the profile from an issuer's claims (OpenID Connect Core section 5.1).
    ///
    /// Such tokens are made for others too, so an invalid claim counts as absent.
    static func profile(_ claims: StrictJSON.Members) -> ConsumerProfile {
        func usable(_ name: BoundedName) -> String? {
            guard let text = try? text(name, claims) else { return nil }
            return text
        }
        let parts = [usable("given_name"), usable("family_name")].compactMap(\.self).joined(separator: " ")
        let phones = (["phone", "phone_number"] as [BoundedName]).compactMap {
            (try? phone($0, claims)).flatMap(\.self)
        }
        return ConsumerProfile(
            name: usable("name") ?? (parts.isEmpty || parts.utf8.count > maxBytes ? nil : parts),
            email: usable("email"),
            phone: phones.first
        )
    }

    /// The maximum length of a text, in bytes: a longer one is not a name or an address.
    private static let maxBytes = 256

    /// Returns an optional text; empty and null mean absent.
    static func text(
        _ name: BoundedName,
        _ claims: StrictJSON.Members,
        maxBytes: Int = Self.maxBytes
    ) throws(AuthenticationError) -> String? {
        switch claims[name] {
        case nil, .null?: return nil
        case .string(let text)? where text.utf8.count <= maxBytes: return text.isEmpty ? nil : text
        default: throw .invalidClaim(name: name.text, detail: "must be a text of at most \(maxBytes) bytes")
        }
    }

    /// Returns a phone number in E.164: `+` and 2 to 15 digits, the first not 0 (R31).
    private static func phone(
        _ name: BoundedName,
        _ claims: StrictJSON.Members
    ) throws(AuthenticationError) -> String? {
        guard let phone = try text(name, claims) else { return nil }
        let digits = phone.utf8.dropFirst()
        guard phone.utf8.first == UInt8(ascii: "+"), (2...15).contains(digits.count),
            digits.first != UInt8(ascii: "0"), digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 })
        else { throw .invalidClaim(name: name.text, detail: "must be empty or E.164: + and up to 15 digits") }
        return phone
    }
}
