internal import Cryptography
internal import Synchronization
internal import TextFormats

/// Talkdesk's token service: client credentials with a signed assertion (RFC 6749 section 4.4, RFC 7523 section 3); and
/// a brand's service that decides about access tokens.
///
/// Any thread.
package final class SimulatedTalkdesk: Sendable {
    /// The path of the token service.
    package static let tokenPath = "/talkdesk/oauth/token"
    /// The path of the decider; it allows all, unless a rule says otherwise.
    package static let decisionPath = "/talkdesk/decision"
    /// The only scope.
    package static let scope = "visual-sessions:execute"

    /// The longest validity of an assertion in seconds.
    private static let assertionSeconds: Int64 = 300
    /// The accepted difference between clocks in seconds.
    private static let leewaySeconds: Int64 = 60
    /// The most stored questions and ids of assertions; the oldest are dropped.
    private static let keptLimit = 10_000

    private struct State {
        var clients: [String: TalkdeskClient] = [:]
        var questions: [JSONValue] = []
        var assertions: [String] = []
    }

    private let state = Mutex(State())

    init() {}

    /// Registers clients; one with the same id is replaced.
    ///
    /// - Parameter clients: The clients.
    package func register(_ clients: [TalkdeskClient]) {
        self.state.withLock { state in
            for client in clients { state.clients[client.id] = client }
        }
    }

    /// The bodies of the questions with a valid signature, in order of arrival.
    package var questions: [JSONValue] { self.state.withLock { $0.questions } }

    // MARK: - Requests

    /// Handles a request to one of its paths; rules distinguish them by `tokenPrefix`: `token` and `decision`.
    func verdict(on request: SimulatorRequest, at now: SimulatorTime) -> PushVerdict {
        guard request.path == Self.tokenPath else { return self.decision(on: request, at: now) }
        do throws(OAuthError) {
            let json = try self.token(for: request, at: now)
            return PushVerdict(
                token: "token",
                reason: nil,
                reply: .json(200, headers: [("cache-control", "no-store")], json)
            )
        } catch {
            return PushVerdict(token: "token", reason: error.error, reply: error.reply)
        }
    }

    private func token(for request: SimulatorRequest, at now: SimulatorTime) throws(OAuthError) -> JSONValue {
        let form = try TokenForm(request)
        guard try form.required("grant_type") == "client_credentials" else {
            throw OAuthError(error: "unsupported_grant_type", text: "The grant type is not supported.")
        }
        guard
            try form.required("client_assertion_type") == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        else { throw Self.client("The client assertion's type is not supported.") }
        try self.authenticate(
            try form.required("client_id"),
            by: try form.required("client_assertion"),
            for: request,
            at: now
        )
        guard try form.required("scope") == Self.scope else {
            throw OAuthError(error: "invalid_scope", text: "The scope is not the client's.")
        }
        return .object([
            // As long as a JWT.
            .init(name: "access_token", value: .string("ey." + StrictBase64.encode(RandomID.bytes(600), .url))),
            .init(name: "token_type", value: .string("Bearer")), .init(name: "expires_in", value: .integer(600)),
            .init(name: "scope", value: .string(Self.scope)),
        ])
    }

    private func authenticate(
        _ id: String,
        by assertion: String,
        for request: SimulatorRequest,
        at now: SimulatorTime
    ) throws(OAuthError) {
        guard let jws = CompactJWS(assertion), jws.header["alg"]?.stringValue == "ES256" else {
            throw Self.client("The assertion must be in compact serialisation and signed with ES256.")
        }
        guard let client = self.state.withLock({ $0.clients[id] }),
            jws.header["kid"]?.stringValue == client.keyID,
            client.publicKey.isValidSignature(jws.signature, for: jws.signingInput)
        else { throw Self.client("The client or its key is unknown, or the signature is wrong.") }
        let (issuer, subject) = (jws.claims["iss"]?.stringValue, jws.claims["sub"]?.stringValue)
        guard issuer == id, subject == id else { throw Self.client("iss and sub must be the client's id.") }
        let addresses = ["http", "https"].map { "\($0)://\(request.header("host") ?? "")\(Self.tokenPath)" }
        guard let audience = jws.claims["aud"]?.stringValue, addresses.contains(audience) else {
            throw Self.client("The audience is not this endpoint.")
        }
        guard let issued = jws.claims["iat"]?.integerValue, let expires = jws.claims["exp"]?.integerValue,
            issued <= now.seconds + Self.leewaySeconds, expires > now.seconds,
            (1...Self.assertionSeconds).contains(expires - issued)
        else { throw Self.client("iat and exp must be numbers, not passed, and at most 300 seconds apart.") }
        guard let assertionID = jws.claims["jti"]?.stringValue, !assertionID.isEmpty, self.isFirst(assertionID) else {
            throw Self.client("The assertion has no jti, or was used before.")
        }
    }

    private func isFirst(_ assertionID: String) -> Bool {
        self.state.withLock { state in
            guard !state.assertions.contains(assertionID) else { return false }
            state.assertions.append(assertionID)
            state.assertions.removeFirst(max(0, state.assertions.count - Self.keptLimit))
            return true
        }
    }

    private static func client(_ text: String) -> OAuthError { OAuthError(error: "invalid_client", text: text) }

    // MARK: - Decisions

    private func decision(on request: SimulatorRequest, at now: SimulatorTime) -> PushVerdict {
        guard let question = self.question(in: request, at: now) else {
            let reason = "invalid_signature"
            let json: JSONValue = ["error": .string(reason)]
            return PushVerdict(token: "decision", reason: reason, reply: .json(401, json))
        }
        self.state.withLock { state in
            state.questions.append(question)
            state.questions.removeFirst(max(0, state.questions.count - Self.keptLimit))
        }
        let json: JSONValue = ["allow": .bool(true)]
        return PushVerdict(token: "decision", reason: nil, reply: .json(200, json))
    }

    /// Returns the body of a request that is signed with a client's key (standardwebhooks.com).
    private func question(in request: SimulatorRequest, at now: SimulatorTime) -> JSONValue? {
        guard request.method == "POST", request.header("content-type") == "application/json",
            let id = request.header("webhook-id"), !id.isEmpty,
            let time = request.header("webhook-timestamp"), let seconds = Int64(time),
            abs(seconds - now.seconds) <= Self.leewaySeconds,
            let signatures = request.header("webhook-signature")
        else { return nil }
        let signed = Array("\(id).\(time).".utf8) + request.body
        let keys = self.state.withLock { $0.clients.values.compactMap(\.decisionKey) }
        let valid = keys.map { key in
            let code = HMAC<SHA256>.authenticationCode(for: signed, using: key)
            return "v1," + StrictBase64.encode(code, .standard)
        }
        guard signatures.split(separator: " ").contains(where: { valid.contains(String($0)) }) else { return nil }
        return try? JSONValue(parsing: request.body)
    }
}
