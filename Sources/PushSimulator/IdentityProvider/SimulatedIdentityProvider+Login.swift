internal import TextFormats

/// The provider's published configuration (OpenID Connect Discovery section 4) and its authorization endpoint (OpenID
/// Connect Core section 3.1.2), on the control port. The issuer is the address by which it is reached.
extension SimulatedIdentityProvider {
    static let basePath = "/identity-provider"
    static let configurationPath = basePath + "/.well-known/openid-configuration"
    static let authorizationPath = basePath + "/authorize"

    /// Handles a request to one of these paths; nil for every other path.
    func loginVerdict(on request: SimulatorRequest, at now: SimulatorTime) -> PushVerdict? {
        let path = request.path.prefix { $0 != "?" }
        let issuer = "http://\(request.header("host") ?? "")" + Self.basePath
        switch path {
        case Self.configurationPath: return Self.judged("configuration", 200, Self.configuration(of: issuer))
        case Self.authorizationPath:
            do throws(OAuthError) {
                return try self.authorized(String(request.path.dropFirst(path.count + 1)), issuer, at: now)
            } catch {
                return PushVerdict(token: "authorize", reason: error.error, reply: error.reply)
            }
        default: return nil
        }
    }

    private static func configuration(of issuer: String) -> JSONValue {
        let texts: [(String, String)] = [
            ("issuer", issuer), ("authorization_endpoint", issuer + "/authorize"),
            ("token_endpoint", issuer + "/token"), ("jwks_uri", issuer + "/jwks"),
        ]
        let lists: [(String, [String])] = [
            ("response_types_supported", ["code"]), ("subject_types_supported", ["public"]),
            ("id_token_signing_alg_values_supported", ["RS256", "ES256"]),
            ("token_endpoint_auth_methods_supported", ["client_secret_post", "client_secret_basic"]),
            ("code_challenge_methods_supported", ["S256"]),
        ]
        return .object(
            texts.map { .init(name: $0.0, value: .string($0.1)) }
                + lists.map { .init(name: $0.0, value: .array($0.1.map { .string($0) })) }
                + [.init(name: "authorization_response_iss_parameter_supported", value: .bool(true))]
        )
    }

    /// Issues a code for a request that has all that it should have, and sends the browser back with it.
    private func authorized(
        _ query: String,
        _ issuer: String,
        at now: SimulatorTime
    ) throws(OAuthError) -> PushVerdict {
        guard let login = self.login, let pairs = FormDecoder.fields(of: Array(query.utf8)) else {
            throw OAuthError(error: "invalid_request", text: "Nobody signs in, or the query is not a form.")
        }
        var fields: [String: String] = [:]
        for (name, value) in pairs {
            guard fields.updateValue(value, forKey: name) == nil else {
                throw OAuthError(error: "invalid_request", text: "Repeated parameter: \(name)")
            }
        }
        guard fields["client_id"] == self.clientID, let back = fields["redirect_uri"],
            login.redirectURIs.contains(back)
        else { throw OAuthError(error: "unauthorized_client", text: "The client or its redirect_uri is not known.") }
        let scopes = (fields["scope"] ?? "").split(separator: " ")
        let challenge = fields["code_challenge"] ?? ""
        guard fields["response_type"] == "code", scopes.contains("openid"),
            fields["code_challenge_method"] == "S256",
            StrictBase64.decode(Array(challenge.utf8)[...], .url)?.count == 32,
            let state = fields["state"], state.utf8.count >= 16, let nonce = fields["nonce"], nonce.utf8.count >= 16
        else { throw OAuthError(error: "invalid_request", text: "A parameter is missing or not accepted.") }
        var answer = [("state", login.fault == .state ? state + "x" : state)]
        answer.append(("iss", login.fault == .issuer ? issuer + "x" : issuer))
        if login.fault == .denied {
            answer.append(("error", "access_denied"))
        } else {
            let text = RandomID.hexadecimal(16)
            var code = SimulatedCode(
                code: text,
                redirectURI: back,
                clientID: self.clientID,
                codeChallenge: challenge,
                claims: self.claims(login, nonce, issuer, at: now),
                lifetimeSeconds: 60
            )
            code.isForged = login.fault == .key
            self.issue([code], at: now)
            answer.append(("code", text))
        }
        let pairsBack = answer.map { "\($0)=\(PercentEncoding.encode($1.utf8, .form))" }.joined(separator: "&")
        let target = back + (back.contains("?") ? "&" : "?") + pairsBack
        let reply = SimulatorReply(status: 302, headers: [("location", target)])
        return PushVerdict(token: "authorize", reason: nil, reply: reply)
    }

    /// Returns the claims of the person's id token, with the fault if there is one.
    private func claims(
        _ login: SimulatedLogin,
        _ nonce: String,
        _ issuer: String,
        at now: SimulatorTime
    ) -> [JSONValue.JSONMember] {
        var claims: [String: JSONValue] = ["iss": .string(issuer), "nonce": .string(nonce)]
        switch login.fault {
        case .nonce: claims["nonce"] = .string(nonce + "x")
        case .noNonce: claims["nonce"] = .null
        case .audience: claims["aud"] = .string(self.clientID + "x")
        case .audiences: claims["aud"] = .array([.string(self.clientID), .string("other")])
        case .party: claims["azp"] = .string("other")
        case .expired: claims["exp"] = .integer(now.seconds - 60)
        case .old: claims["iat"] = .integer(now.seconds - 3600)
        case .tokenIssuer: claims["iss"] = .string(issuer + "x")
        case .denied, .state, .issuer, .key, nil: break
        }
        return login.claims.filter { claims[$0.name] == nil }
            + claims.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: $0.value) }
    }
}
