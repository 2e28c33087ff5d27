import GatewayModel
import GuardedHTTP
import HTTPTypes
import Identity
import PushSimulator
import TestSupport
import Testing

@testable import GatewayHTTP

/// A gateway whose operators sign in at the simulated identity provider, and browsers that do.
struct ProviderFixture: Sendable {
    static let path = "/sign-in/oidc"
    private static let clientID = "client:1"
    private static let clientSecret = "a secret, with & and +"
    private static let callbacks = [
        "http://localhost/console/sign-in/oidc/callback", "https://localhost/console/sign-in/oidc/callback",
    ]

    let api: API
    let simulator: PushSimulator
    let issuer: String
    private let client: GuardedHTTPClient

    /// Runs a test with the brand `acme` and a person who may see its deliveries.
    static func with(
        rates: RateLimits = .none,
        mapping: [OperatorProvider.Rule] = [],
        _ test: @escaping @Sendable (ProviderFixture) async throws -> Void
    ) async throws {
        let clock = TestClock()
        var configuration = SimulatorConfiguration()
        configuration.clientID = clientID
        configuration.clientSecret = clientSecret
        configuration.clock = { SimulatorTime(milliseconds: clock.now.milliseconds) }
        let simulator = try await PushSimulator.start(configuration)
        let client = GuardedHTTPClient(
            resolver: NoNames(),
            policy: AddressPolicy(allowsLoopback: true),
            maxIdle: 0
        )
        // Made in no time, which a key of RSA is not.
        try simulator.identityProvider.rotateKey(.es256)
        let address = try #require(simulator.control)
        let issuer = "http://\(address)/identity-provider"
        let provider = OperatorProvider(
            issuer: issuer,
            clientID: clientID,
            clientSecret: clientSecret,
            rolesClaim: "roles",
            mapping: mapping
        )
        let result: Result<Void, any Error>
        do {
            try await TestGateway.run(
                .live,
                limits: ServerLimits(rates: rates),
                clock: clock,
                operatorProvider: provider
            ) { api in
                try await api.makeBrand()
                let fixture = ProviderFixture(api: api, simulator: simulator, issuer: issuer, client: client)
                fixture.person()
                try await test(fixture)
            }
            result = .success(())
        } catch { result = .failure(error) }
        await client.close()
        await simulator.stop()
        try result.get()
    }

    /// Sets the person who signs in, and what the provider does wrong.
    func person(
        _ subject: String = "dana@example.com",
        roles: [String] = ["viewer@acme"],
        fault: SimulatedLogin.Fault? = nil
    ) {
        simulator.identityProvider.setLogin(
            SimulatedLogin(
                redirectURIs: Self.callbacks,
                claims: [
                    .init(name: "sub", value: .string(subject)),
                    .init(name: "roles", value: .array(roles.map { .string($0) })),
                ],
                fault: fault
            )
        )
    }

    /// Has the provider misbehave at a path.
    func rule(_ action: RuleAction, _ path: String) {
        simulator.setRules([.init(match: .init(provider: .identityProvider, tokenPrefix: path), action: action)])
    }

    /// Returns a configuration with the endpoints that are used.
    func configuration(_ issuer: String, _ page: String, _ token: String, _ keys: String) -> String {
        #"{"issuer":"\#(issuer)","authorization_endpoint":"\#(page)","token_endpoint":"\#(token)","jwks_uri":"\#(keys)"}"#
    }

    /// Begins a sign-in, and returns the provider's page and the browser's cookie.
    func begin(_ query: String = "", headers: HTTPFields = [:]) async throws -> (page: String, cookie: String) {
        let begun = try await api.open(Self.path + query, of: nil, headers: headers)
        try #require(begun.status == 303, "\(begun.text)")
        let cookie = try #require(begun.headers[.setCookie]?.split(separator: ";").first)
        return (try #require(begun.headers[.location]), String(cookie))
    }

    /// Opens the provider's page, and returns the path to which it sends the browser back.
    func authorize(_ page: String) async throws -> String {
        let request = GuardedRequest(
            url: try client.url(page),
            method: .get,
            headers: [],
            responseBody: .read(maxBytes: 65_536),
            timeout: .seconds(60)
        )
        let response = try await client.send(request)
        let location = try #require(response.header("location"), "\(response.status)")
        let start = try #require(location.firstRange(of: "/console"))
        return String(location[start.upperBound...])
    }

    /// Comes back from the provider.
    func finish(_ path: String, _ cookie: String?, headers: HTTPFields = [:]) async throws -> Reply {
        var headers = headers
        headers[.cookie] = cookie
        return try await api.open(path, of: nil, headers: headers)
    }

    /// Signs the person in.
    func signIn(_ query: String = "") async throws -> Reply {
        let (page, cookie) = try await begin(query)
        return try await finish(try await authorize(page), cookie)
    }
}

extension Reply {
    /// The cookies that it sets, with their attributes.
    var cookies: [String] { headers[values: .setCookie] }

    /// Checks that it is the page of a sign-in that failed: without a session.
    func expectFailure(_ status: Int, _ location: SourceLocation = #_sourceLocation) {
        expectPage(status, location)
        #expect(text.contains(#"id="problem""#), "\(text)", sourceLocation: location)
        #expect(!cookies.contains { $0.contains("sbo_") }, sourceLocation: location)
    }
}
