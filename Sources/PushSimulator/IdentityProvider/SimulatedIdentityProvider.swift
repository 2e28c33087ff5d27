internal import Synchronization

/// A brand's identity provider: a token endpoint for codes (RFC 6749, RFC 7636, OpenID Connect Core section 3.1.3) and
/// its JWK set.
///
/// Tests issue codes in place of the app and its browser. Every request with the right client uses up its code. Any
/// thread.
package final class SimulatedIdentityProvider: Sendable {
    /// The most stored codes; the oldest are dropped.
    private static let codeLimit = 10_000
    /// The most published keys; the oldest are dropped.
    private static let keyLimit = 10
    /// The lifetime of id tokens in seconds.
    private static let tokenSeconds: Int64 = 300

    /// The `iss` of its id tokens.
    package static let issuer = "https://idp.simulator.example"

    private struct IssuedCode {
        var code: SimulatedCode
        var at: SimulatorTime
        var isUsed = false
    }

    private struct State {
        var codes: [String: IssuedCode] = [:]
        /// The keys; the last one is the newest, which signs.
        var keys: [SigningKey] = []
        /// The person who signs in at the authorization endpoint; nil rejects every request.
        var login: SimulatedLogin?
    }

    let clientID: String
    private let clientSecret: String
    private let state = Mutex(State())

    init(clientID: String, clientSecret: String) {
        self.clientID = clientID
        self.clientSecret = clientSecret
    }

    /// Issues codes; a code that was issued before becomes valid again.
    ///
    /// - Parameters:
    ///   - codes: The codes.
    ///   - now: The time of issue.
    package func issue(_ codes: [SimulatedCode], at now: SimulatorTime = .now()) {
        self.state.withLock { state in
            for code in codes { state.codes[code.code] = IssuedCode(code: code, at: now) }
            guard state.codes.count > Self.codeLimit else { return }
            let oldest = state.codes.sorted { $0.value.at < $1.value.at }.prefix(state.codes.count - Self.codeLimit)
            for (code, _) in oldest { state.codes[code] = nil }
        }
    }

    /// Creates a new key, which signs from now on.
    ///
    /// - Parameters:
    ///   - algorithm: The signature algorithm.
    ///   - retiresOthers: Whether the older ones are no longer published.
    /// - Returns: The key's `kid`.
    /// - Throws: The errors of the library.
    @discardableResult
    package func rotateKey(_ algorithm: SigningAlgorithm, retiresOthers: Bool = false) throws -> String {
        let key = try SigningKey(algorithm)
        self.state.withLock { state in
            if retiresOthers { state.keys = [] }
            state.keys.append(key)
            state.keys.removeFirst(max(0, state.keys.count - Self.keyLimit))
        }
        return key.id
    }

    /// Sets the person who signs in at the authorization endpoint from now on, and how the provider misbehaves.
    package func setLogin(_ login: SimulatedLogin?) { self.state.withLock { $0.login = login } }

    /// The person who signs in.
    var login: SimulatedLogin? { self.state.withLock { $0.login } }

    // MARK: - Requests

    /// The path of the token endpoint.
    static let tokenPath = "/identity-provider/token"
    static let keysPath = "/identity-provider/jwks"

    /// Handles a request to one of its paths; rules distinguish them by `tokenPrefix`: `token`, `jwks`, `configuration`
    /// and `authorize`.
    func verdict(on request: SimulatorRequest, at now: SimulatorTime) -> PushVerdict {
        if let verdict = self.loginVerdict(on: request, at: now) { return verdict }
        guard request.path == Self.tokenPath else { return Self.judged("jwks", 200, self.keys()) }
        do throws(OAuthError) {
            return Self.judged("token", 200, try self.response(request, at: now))
        } catch {
            var reply = error.reply
            if reply.status == 401, request.header("authorization") != nil {
                reply.headers.append(("www-authenticate", "Basic realm=\"simulator\""))
            }
            return PushVerdict(token: "token", reason: error.error, reply: reply)
        }
    }

    static func judged(_ name: String, _ status: Int, _ json: JSONValue) -> PushVerdict {
        PushVerdict(token: name, reason: nil, reply: .json(status, headers: [("cache-control", "no-store")], json))
    }

    private func keys() -> JSONValue {
        let keys = (try? self.published().map { try $0.jwk() }) ?? []
        return ["keys": .array(keys)]
    }

    /// Returns the keys; creates the first when there is none.
    private func published() throws -> [SigningKey] {
        try self.state.withLock { state in
            if state.keys.isEmpty { state.keys = [try SigningKey(.rs256)] }
            return state.keys
        }
    }

    private func response(_ request: SimulatorRequest, at now: SimulatorTime) throws(OAuthError) -> JSONValue {
        let form = try TokenForm(request)
        let client = try form.client(authorization: request.header("authorization"))
        guard client.id == self.clientID, client.secret == self.clientSecret else {
            throw OAuthError(error: "invalid_client", text: "The client is unknown or its secret is wrong.")
        }
        guard try form.required("grant_type") == "authorization_code" else {
            throw OAuthError(error: "unsupported_grant_type", text: "The grant type is not supported.")
        }
        let text = try form.required("code")
        let redirectURI = try form.required("redirect_uri")
        let given: IssuedCode? = self.state.withLock { state in
            defer { state.codes[text]?.isUsed = true }
            return state.codes[text]
        }
        guard let given else { throw .grant("The code is not known.") }
        guard !given.isUsed else { throw .grant("The code was used before.") }
        guard now.milliseconds < given.at.milliseconds + given.code.lifetimeSeconds * 1000 else {
            throw .grant("The code has expired.")
        }
        guard given.code.clientID == client.id else { throw .grant("The code was given to another client.") }
        guard given.code.redirectURI == redirectURI else { throw .grant("The redirect_uri is not the code's.") }
        try form.checkVerifier(of: given.code.codeChallenge)
        let key = try? given.code.isForged ? SigningKey(.es256) : self.published().last
        guard let token = try? key?.token(self.claims(of: given.code, at: now)) else {
            throw OAuthError(error: "server_error", text: "No token can be signed.")
        }
        return [
            "access_token": .string(RandomID.hexadecimal(16)), "token_type": .string("Bearer"),
            "expires_in": .integer(3600), "id_token": .string(token),
        ]
    }

    private func claims(of code: SimulatedCode, at now: SimulatorTime) -> JSONValue {
        let usual: [JSONValue.JSONMember] = [
            .init(name: "iss", value: .string(Self.issuer)), .init(name: "aud", value: .string(code.clientID)),
            .init(name: "iat", value: .integer(now.seconds)),
            .init(name: "exp", value: .integer(now.seconds + Self.tokenSeconds)),
        ]
        let given = code.claims.filter { $0.value != .null }
        return .object(usual.filter { one in !code.claims.contains { $0.name == one.name } } + given)
    }
}
