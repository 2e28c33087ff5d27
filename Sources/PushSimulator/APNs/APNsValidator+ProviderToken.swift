import Cryptography

extension APNsValidator {
    /// The validity of a provider token before and after its `iat` in seconds: one hour (Apple, "Establishing a
    /// token-based connection").
    private static let lifeSeconds: Int64 = 3600
    /// The shortest time in milliseconds between the first use of a token on the connection and its replacement (same
    /// page; that the first *use* counts is reported by senders, jchambers/pushy#931).
    private static let shortestUse: Int64 = 20 * 60 * 1000

    /// Checks the provider token.
    ///
    /// The connection's current token is compared as text, so that the signature is verified once per connection and
    /// token.
    func checkProviderToken(
        _ authorization: String?,
        connection: inout APNsConnectionState,
        at now: SimulatorTime
    ) throws(APNsRejection) {
        guard let authorization, !authorization.isEmpty else { throw APNsRejection(.missingProviderToken) }
        if let current = connection.current, current.authorization == authorization {
            try Self.checkAge(issuedAtSeconds: current.issuedAtSeconds, at: now)
            return
        }
        let token = try self.verified(authorization, at: now)
        if let current = connection.current {
            guard token.keyID == current.keyID, token.teamID == current.teamID else {
                throw APNsRejection(.unrelatedKeyIDInToken)
            }
            guard now.milliseconds - current.firstUse.milliseconds >= Self.shortestUse else {
                throw APNsRejection(.tooManyProviderTokenUpdates)
            }
        }
        connection.current = token
        // Another key may have other topics.
        connection.lastTarget = nil
    }

    private static func checkAge(issuedAtSeconds: Int64, at now: SimulatorTime) throws(APNsRejection) {
        let age = now.seconds - issuedAtSeconds
        if age > Self.lifeSeconds { throw APNsRejection(.expiredProviderToken) }
        if age < -Self.lifeSeconds { throw APNsRejection(.invalidProviderToken) }
    }

    /// Verifies a token: the signature before the age, so that a forged token is never reported as expired.
    private func verified(
        _ authorization: String,
        at now: SimulatorTime
    ) throws(APNsRejection) -> APNsConnectionState.Current {
        let scheme = "bearer "
        guard authorization.prefix(scheme.count).lowercased() == scheme,
            let jws = CompactJWS(String(authorization.dropFirst(scheme.count))),
            jws.header["alg"]?.stringValue == "ES256",
            let keyID = jws.header["kid"]?.stringValue, Self.isIdentifier(keyID),
            let teamID = jws.claims["iss"]?.stringValue, Self.isIdentifier(teamID),
            let issuedAt = jws.claims["iat"]?.doubleValue, abs(issuedAt) < 1e15,
            jws.signature.count == 64
        else { throw APNsRejection(.invalidProviderToken) }
        var topics: Set<String> = []
        if !self.directory.keys.isEmpty {
            guard let key = self.directory.keys[keyID], key.teamID == teamID,
                key.publicKey.isValidSignature(jws.signature, for: jws.signingInput)
            else { throw APNsRejection(.invalidProviderToken) }
            if key.isOfOtherEnvironment { throw APNsRejection(.badEnvironmentKeyIDInToken) }
            topics = key.topics
        }
        try Self.checkAge(issuedAtSeconds: Int64(issuedAt), at: now)
        return .init(
            authorization: authorization,
            keyID: keyID,
            teamID: teamID,
            issuedAtSeconds: Int64(issuedAt),
            firstUse: now,
            topics: topics
        )
    }

    /// Returns whether a text is a key id or team id: ten letters and digits.
    private static func isIdentifier(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: false
                }
            }
    }
}
