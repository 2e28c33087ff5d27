internal import HTTP2Connections
internal import Synchronization

/// The request handler of the simulated FCM, and on the same port Google's token endpoint at `/token` and the identity
/// provider.
final class FCMService: HTTP2ServerApplication {
    /// The most stored access tokens; the oldest are dropped.
    private static let grantLimit = 10_000

    private let core: SimulatorCore
    private let endpoint: Mutex<TokenEndpoint>
    private let validator: Mutex<FCMValidator>
    private let identityProvider: SimulatedIdentityProvider
    private let connections: ConnectionTable

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - core: The rules, pushes and counts.
    ///   - validator: The validator of messages; issued access tokens are added to it.
    ///   - endpoint: The handler of requests for access tokens.
    ///   - identityProvider: The handler of requests to its paths.
    init(
        core: SimulatorCore,
        validator: FCMValidator,
        endpoint: TokenEndpoint,
        identityProvider: SimulatedIdentityProvider
    ) {
        self.core = core
        self.endpoint = Mutex(endpoint)
        self.identityProvider = identityProvider
        self.validator = Mutex(validator)
        self.connections = ConnectionTable(core: core, provider: .fcm)
    }

    /// Sets the accepted audiences of assertions, once the port is known.
    func setAudiences(_ audiences: Set<String>) {
        self.endpoint.withLock { $0.audiences = audiences }
    }

    func connectionOpened(_ connection: HTTP2ServerConnection, facts: HTTP2ServerConnectionFacts) {
        self.connections.open(connection)
    }

    func connectionClosed(_ connection: HTTP2ServerConnection) {
        self.connections.close(connection)
    }

    func receive(_ requests: [HTTP2ServerRequest], on connection: HTTP2ServerConnection) {
        guard let record = self.connections.record(of: connection) else { return }
        let now = self.core.clock()
        let judged = requests.map { self.judge($0, at: now) }
        RequestBatch(
            core: self.core,
            connection: connection,
            record: record,
            port: .fcm,
            now: now,
            raisedStreams: nil
        ).finish(judged)
    }

    private func judge(_ request: HTTP2ServerRequest, at now: SimulatorTime) -> RequestBatch.Judged {
        let simulated = SimulatorRequest(request)
        if [SimulatedIdentityProvider.tokenPath, SimulatedIdentityProvider.keysPath].contains(request.path) {
            let verdict = self.identityProvider.verdict(on: simulated, at: now)
            return .init(request: request, provider: .identityProvider, verdict: verdict)
        }
        guard request.path == "/token" else {
            // A copy, so that validation on one connection does not block the others.
            let validator = self.validator.withLock { $0 }
            return .init(request: request, provider: .fcm, verdict: validator.verdict(on: simulated, at: now))
        }
        let endpoint = self.endpoint.withLock { $0 }
        let (verdict, issued) = endpoint.verdict(on: simulated, at: now)
        if let issued { self.remember(issued.token, issued.grant, at: now) }
        return .init(request: request, provider: .oauth, verdict: verdict)
    }

    private func remember(_ token: String, _ grant: AccessGrant, at now: SimulatorTime) {
        self.validator.withLock { validator in
            if validator.directory.grants.count >= Self.grantLimit {
                // Expired tokens stay until then: "expired" is another response than "unknown".
                let oldest = validator.directory.grants.sorted { $0.value.expires < $1.value.expires }
                for (token, _) in oldest.prefix(Self.grantLimit / 2) { validator.directory.grants[token] = nil }
            }
            validator.directory.grants[token] = grant
        }
    }
}
