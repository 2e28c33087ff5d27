import Cryptography
import TextFormats

/// Handles requests for access tokens as Google's token endpoint does.
///
/// Source: developers.google.com, "Using OAuth 2.0 for Server to Server Applications"; RFC 7523 with Google's changes.
package struct TokenEndpoint: Sendable {
    /// The known accounts, by key id.
    ///
    /// If empty, any well-formed assertion is accepted, whoever signed it.
    package var keys: [String: ServiceAccountKey]
    /// The accepted values of `aud`: the endpoint's own address, and Google's.
    package var audiences: Set<String>
    /// The lifetime of tokens in seconds.
    package var lifetimeSeconds: Int64

    /// The accepted difference between the clocks of client and server in seconds.
    private static let leewaySeconds: Int64 = 300

    /// Creates an endpoint.
    ///
    /// - Parameters:
    ///   - keys: The accounts' keys.
    ///   - audiences: The accepted values of `aud`.
    ///   - lifetimeSeconds: The lifetime of tokens in seconds.
    package init(keys: [ServiceAccountKey], audiences: Set<String>, lifetimeSeconds: Int64 = 3600) {
        self.keys = Dictionary(keys.map { ($0.keyID, $0) }) { _, last in last }
        self.audiences = audiences
        self.lifetimeSeconds = lifetimeSeconds
    }

    /// Handles one request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - now: The time of arrival.
    /// - Returns: The verdict, and if accepted the new token and its grant.
    package func verdict(
        on request: SimulatorRequest,
        at now: SimulatorTime
    ) -> (verdict: PushVerdict, issued: (token: String, grant: AccessGrant)?) {
        do throws(OAuthError) {
            let grant = try self.grant(for: request, at: now)
            // As long as Google's, so that the header size is realistic.
            let token = "ya29." + StrictBase64.encode(RandomID.bytes(720), .url)
            let reply = SimulatorReply.json(
                200,
                headers: [("cache-control", "no-store")],
                [
                    "access_token": .string(token), "expires_in": .integer(self.lifetimeSeconds),
                    "token_type": .string("Bearer"),
                ]
            )
            return (PushVerdict(token: nil, reason: nil, reply: reply), (token, grant))
        } catch {
            return (PushVerdict(token: nil, reason: error.error, reply: error.reply), nil)
        }
    }

    private func grant(for request: SimulatorRequest, at now: SimulatorTime) throws(OAuthError) -> AccessGrant {
        guard request.method == "POST" else {
            throw OAuthError(error: "invalid_request", text: "Only POST is taken.")
        }
        let type = request.header("content-type")?.split(separator: ";").first?.lowercased()
        guard type == "application/x-www-form-urlencoded", let fields = FormDecoder.fields(of: request.body) else {
            throw OAuthError(error: "invalid_request", text: "The body must be a form.")
        }
        func field(_ name: String) throws(OAuthError) -> String {
            let values = fields.filter { $0.name == name }.map(\.value)
            guard let value = values.first, !value.isEmpty else {
                throw OAuthError(error: "invalid_request", text: "Missing parameter: \(name)")
            }
            guard values.count == 1 else {
                throw OAuthError(error: "invalid_request", text: "Repeated parameter: \(name)")
            }
            return value
        }
        guard try field("grant_type") == "urn:ietf:params:oauth:grant-type:jwt-bearer" else {
            throw OAuthError(error: "unsupported_grant_type", text: "The grant type is not supported.")
        }
        guard let jws = CompactJWS(try field("assertion")), jws.header["alg"]?.stringValue == "RS256" else {
            throw .grant("Invalid JWT: it must be in compact serialisation and signed with RS256.")
        }
        return try self.grant(for: jws, at: now)
    }

    private func grant(for jws: CompactJWS, at now: SimulatorTime) throws(OAuthError) -> AccessGrant {
        guard let issuer = jws.claims["iss"]?.stringValue else { throw .grant("Invalid JWT: iss is missing.") }
        var projectID = issuer.split(separator: "@").last?.split(separator: ".").first.map { String($0) } ?? ""
        if !self.keys.isEmpty {
            guard let key = self.key(for: jws, issuer: issuer) else { throw .grant("Invalid grant: account not found") }
            guard key.publicKey.isValidSignature(jws.signature, for: jws.signingInput, padding: .pkcs1) else {
                throw .grant("Invalid JWT Signature.")
            }
            projectID = key.projectID
        }
        guard let audience = jws.claims["aud"]?.stringValue, self.audiences.contains(audience) else {
            throw .grant("Invalid JWT: the audience is not the token endpoint.")
        }
        try Self.checkTimes(of: jws.claims, at: now)
        let scopes = Set((jws.claims["scope"]?.stringValue ?? "").split(separator: " ").map { String($0) })
        guard !scopes.isEmpty, scopes.allSatisfy({ $0.hasPrefix("https://www.googleapis.com/auth/") }) else {
            throw OAuthError(error: "invalid_scope", text: "Invalid OAuth scope or ID token audience provided.")
        }
        let expires = SimulatorTime(seconds: now.seconds + self.lifetimeSeconds)
        return AccessGrant(clientEmail: issuer, projectID: projectID, scopes: scopes, expires: expires)
    }

    /// Returns the key that the header names; without `kid` any key of the account.
    private func key(for jws: CompactJWS, issuer: String) -> ServiceAccountKey? {
        if let id = jws.header["kid"]?.stringValue {
            return self.keys[id].flatMap { $0.clientEmail == issuer ? $0 : nil }
        }
        return self.keys.values.first { $0.clientEmail == issuer }
    }

    private static func checkTimes(of claims: JSONValue, at now: SimulatorTime) throws(OAuthError) {
        let text = "Invalid JWT: it must be a short-lived token (60 minutes) and in a reasonable timeframe."
        guard let issued = claims["iat"]?.doubleValue, let expires = claims["exp"]?.doubleValue else {
            throw .grant(text)
        }
        let current = Double(now.milliseconds) / 1000
        guard expires > issued, expires - issued <= 3600, issued <= current + Double(Self.leewaySeconds),
            expires > current - Double(Self.leewaySeconds)
        else { throw .grant(text) }
    }
}
