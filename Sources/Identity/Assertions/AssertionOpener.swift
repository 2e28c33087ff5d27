internal import GatewayModel
internal import TextFormats

/// Opens encrypted assertions with a brand's keys (RFC 7516 section 5.2).
struct AssertionOpener {
    /// The keys.
    let snapshot: DirectorySnapshot
    /// The time for the keys' expiry.
    let now: Timestamp

    /// How many keys are tried for a token that names none.
    ///
    /// Two while a key changes, and one that was forgotten; each costs a private-key operation, which strangers ask for.
    private static let maxTries = 3

    /// Opens a token.
    ///
    /// - Parameters:
    ///   - jwe: The token.
    ///   - brand: The brand of the request.
    /// - Returns: The content.
    /// - Throws: `unknown_key`, `revoked`, `wrong_algorithm` or `malformed` for what its header says, and `bad_signature` for
    ///   everything that goes wrong with a key: which step it was is nobody's business (RFC 7516 section 11.5).
    func open(_ jwe: CompactJWE, _ brand: BrandID) throws(AuthenticationError) -> [UInt8] {
        for key in try keys(for: jwe, brand) {
            let contentKey = try key.key.contentKey(of: jwe)
            if let content = jwe.encryption.open(jwe.content, key: contentKey) { return content }
        }
        throw .tokenInvalid(.badSignature)
    }

    /// The key that the token names; else the newest of its algorithm.
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
