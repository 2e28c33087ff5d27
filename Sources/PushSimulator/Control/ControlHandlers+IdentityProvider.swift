internal import HTTPTypes
internal import Hummingbird
internal import ServiceLifecycle

/// The identity provider, Talkdesk and Chatwoot on the control port: codes, keys, clients and accounts, and their own
/// paths over plain HTTP.
extension ControlHandlers {
    private static let maxFormBytes = 64 << 10
    /// The time for which a rule that withholds the response keeps the request open.
    private static let silence = Duration.seconds(600)

    /// `PUT /identity-provider/codes`: issues codes, all or none.
    func issueCodes(_ request: Request) async throws -> Response {
        try await Self.take(request, SimulatedCode.parse) { self.identityProvider.issue($0, at: self.core.clock()) }
    }

    /// `POST /identity-provider/keys` `{"algorithm"?,"retireOthers"?}`: creates a key that signs from now on.
    func rotateKey(_ request: Request) async throws -> Response {
        let body = try await request.body.collect(upTo: Self.maxFormBytes)
        var algorithm = SigningAlgorithm.rs256
        var retiresOthers = false
        if body.readableBytes > 0 {
            guard let json = try? JSONValue(parsing: Array(body.readableBytesView)) else {
                return Self.problem("not JSON")
            }
            do {
                var reader = try RuleReader(json, at: "the key")
                if let name = try reader.string("algorithm") {
                    guard let named = SigningAlgorithm(rawValue: name) else {
                        return Self.problem("\"algorithm\" must be RS256, PS256 or ES256")
                    }
                    algorithm = named
                }
                retiresOthers = try reader.flag("retireOthers")
                try reader.end()
            } catch {
                return Self.problem(error.description)
            }
        }
        let id = try self.identityProvider.rotateKey(algorithm, retiresOthers: retiresOthers)
        return Self.json(["kid": .string(id)])
    }

    /// `PUT /identity-provider/login`: sets the person who signs in.
    func setLogin(_ request: Request) async throws -> Response {
        try await Self.take(request, upTo: Self.maxFormBytes, SimulatedLogin.parse, self.identityProvider.setLogin)
    }

    /// `POST /identity-provider/token` and the paths that are read by GET, with the rules applied.
    ///
    /// Actions that exist only in HTTP/2 (goaway, maxStreams) have no effect here; actions that withhold the response
    /// delay it for long.
    func identityProvider(_ request: Request) async throws -> Response {
        try await self.respond(to: request, of: .identityProvider, self.identityProvider.verdict(on:at:))
    }

    /// `PUT /talkdesk/clients`: registers clients, all or none.
    func registerClients(_ request: Request) async throws -> Response {
        try await Self.take(request, TalkdeskClient.parse, self.talkdesk.register)
    }

    /// `POST /talkdesk/oauth/token` and `POST /talkdesk/decision`, with the rules applied as above.
    func talkdesk(_ request: Request) async throws -> Response {
        try await self.respond(to: request, of: .talkdesk, self.talkdesk.verdict(on:at:))
    }

    /// `PUT /chatwoot/accounts`: registers accounts, all or none.
    func registerAccounts(_ request: Request) async throws -> Response {
        try await Self.take(request, ChatwootAccount.parse, self.chatwoot.register)
    }

    /// `GET /chatwoot/messages`: the messages that were taken, in order.
    func chatwootMessages() -> Response {
        let messages = self.chatwoot.messages.map { message -> JSONValue in
            [
                "account": .integer(message.account), "conversation": .integer(message.conversation),
                "content": .string(message.content), "echoId": .string(message.echoID),
            ]
        }
        return Self.json(["messages": .array(messages)])
    }

    /// `POST /chatwoot/api/...`, with the rules applied as above.
    func chatwoot(_ request: Request) async throws -> Response {
        try await self.respond(to: request, of: .chatwoot, self.chatwoot.verdict(on:at:))
    }

    private func respond(
        to request: Request,
        of provider: SimulatedProvider,
        _ judge: (SimulatorRequest, SimulatorTime) -> PushVerdict
    ) async throws -> Response {
        let body = try await request.body.collect(upTo: Self.maxFormBytes)
        var received = request.headers.map { (name: $0.name.canonicalName, value: $0.value) }
        received.append((name: "host", value: request.head.authority ?? ""))
        let simulated = SimulatorRequest(
            method: request.method.rawValue,
            // Only the authorization endpoint reads its query.
            path: request.uri.path
                + (request.uri.path == SimulatedIdentityProvider.authorizationPath
                    ? "?" + (request.uri.query ?? "") : ""),
            headers: received,
            body: Array(body.readableBytesView)
        )
        let now = self.core.clock()
        let verdict = judge(simulated, now)
        let action = self.core.actions { [(provider, verdict.token, simulated.body.count)] }?.first ?? nil
        let outcome =
            action.map { RuledOutcome(verdict, bentBy: $0, provider: provider, at: now) }
            ?? RuledOutcome(verdict)
        self.core.count { $0.add(provider, outcome) }
        if let delay = action?.delayMilliseconds, delay > 0 { await Self.wait(.milliseconds(delay)) }
        guard let reply = outcome.reply else {
            await Self.wait(Self.silence)
            return Response(status: .serviceUnavailable)
        }
        var headers = HTTPFields()
        for (name, value) in reply.headers {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        return Response(
            status: .init(code: reply.status),
            headers: headers,
            body: .init(byteBuffer: ByteBuffer(bytes: reply.body))
        )
    }

    /// Waits, at most until the server stops.
    private static func wait(_ time: Duration) async {
        await cancelWhenGracefulShutdown { try? await Task.sleep(for: time) }
    }
}
