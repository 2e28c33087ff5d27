internal import GatewayModel
internal import TextFormats

/// Decrypts encrypted assertions with a brand's keys (RFC 7516 section 5.2).
struct AssertionOpener {
    /// The snapshot with the keys.
    let snapshot: DirectorySnapshot
    /// The current time, for the keys' expiry.
    let now: Timestamp

    /// The maximum of keys that are tried for a token without a `kid`.
    ///
    /// Two during a rotation, and one that was left over. Each costs a private-key operation, which strangers can
    /// trigger.
    private static let maxTries = 3

    /// Decrypts a token.
    ///
    /// - Parameters:
    ///   - jwe: The token.
    ///   - brand: The brand of the request.
    /// - Returns: The content.
    /// - Throws: `unknown_key`, `revoked`, `wrong_algorithm` or `malformed` for the header, and `bad_signature` for
    ///   every error with a key: the failed step must not be visible (RFC 7516 section 11.5).
    func open(_ jwe: CompactJWE, _ brand: BrandID) throws(AuthenticationError) -> [UInt8] {
        for key in try keys(for: jwe, brand) {
            let contentKey = try key.key.contentKey(of: jwe)
            if let content = jwe.encryption.open(jwe.content, key: contentKey) { return content }
        }
        throw .tokenInvalid(.badSignature)
    }

    /// Returns the key that the token names; else the newest ones of its algorithm.
    private func keys(for jwe: CompactJWE, _ brand: BrandID) throws(AuthenticationError) -> [JWEKey] {
        let all = snapshot.jweKeys[brand] ?? []
        if let named = jwe.header["kid"] {
            guard let id = named.text.map(DirectorySnapshot.KeyName.init) else { throw .tokenInvalid(.unknownKey) }
            guard let key = all.first(where: { DirectorySnapshot.KeyName($0.id) == id }) else {
                throw .tokenInvalid(snapshot.revokedJWEKeys.contains(id, of: brand) ? .revoked : .unknownKey)
            }
            guard isActive(key) else { throw .tokenInvalid(.revoked) }
            guard key.key.algorithm == jwe.algorithm else { throw .tokenInvalid(.wrongAlgorithm) }
            return [key]
        }
        let active = all.filter(isActive)
        guard !active.isEmpty else { throw .tokenInvalid(all.isEmpty ? .unknownKey : .revoked) }
        let fitting = active.filter { $0.key.algorithm == jwe.algorithm }
        guard !fitting.isEmpty else { throw .tokenInvalid(.wrongAlgorithm) }
        return Array(fitting.prefix(Self.maxTries))
    }

    private func isActive(_ key: JWEKey) -> Bool { key.expiresAt.map { now < $0 } ?? true }
}
