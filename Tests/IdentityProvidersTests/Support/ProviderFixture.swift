import GatewayModel
import GatewayStorage
import GuardedHTTP
import Identity
import Logging
import ProcessHarness
import PushSimulator
import SQLiteStorage
import Synchronization
import Telemetry
import TestSupport

@testable import IdentityProviders

/// The simulator's identity provider, a store with a brand, and the parts of a gateway on both.
final class ProviderFixture: Sendable {
    static let brand = BrandID(trusted: "acme")
    static let redirectURI = "https://app.example/back?x=1"
    static let clientID = "client:1 ü"
    static let clientSecret = "s e:c+r&e=t%/ß"
    /// RFC 7636 appendix B.
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    let directory: TemporaryDirectory
    let simulator: PushSimulator
    let client: GuardedHTTPClient
    let clock = TestClock(now: Timestamp(milliseconds: 1_700_000_000_000))
    let registry = PrometheusRegistry()
    let metrics: IdentityProviderMetrics
    let key = MasterKey()
    private let threads = ResolverThreads(count: 4)

    private init() async throws {
        directory = try TemporaryDirectory()
        var configuration = SimulatorConfiguration()
        configuration.clientID = Self.clientID
        configuration.clientSecret = Self.clientSecret
        simulator = try await PushSimulator.start(configuration)
        client = GuardedHTTPClient(
            resolver: SystemResolver(threads: threads, atOnce: 4),
            trustRootsFile: simulator.credentials.authorityFile,
            policy: AddressPolicy(allowsLoopback: true),
            maxIdle: 0
        )
        metrics = IdentityProviderMetrics(factory: registry)
    }

    /// Runs a test and cleans up after it.
    static func with(_ test: @Sendable (ProviderFixture) async throws -> Void) async throws {
        let fixture = try await ProviderFixture()
        let result: Result<Void, any Error>
        do { result = .success(try await test(fixture)) } catch { result = .failure(error) }
        await fixture.client.close()
        fixture.threads.shutdown()
        await fixture.simulator.stop()
        try result.get()
    }

    /// The provider's URL, without TLS.
    var plain: String { "http://\(simulator.control.map { "\($0)" } ?? "")/identity-provider" }
    /// The provider's URL over TLS.
    var secure: String { "https://localhost:\(simulator.fcm.port)/identity-provider" }
    /// The number of requests to it.
    var asked: Int { simulator.statistics.requests(to: .identityProvider) }

    /// Runs a test with a gateway on the fixture's store, as between two starts.
    func gateway(_ test: @Sendable (GatewayLife) async throws -> Void) async throws {
        let store = try SQLiteStore.open(path: directory.path("data.sqlite"), logger: Self.logger)
        let result: Result<Void, any Error>
        do {
            _ = try await store.begin(now: clock.now)
            let directory = try await Directory.load(
                store: store,
                box: SecretBox(key: key),
                clock: clock,
                reader: NoSettingsReader()
            )
            if directory.brand(Self.brand) == nil {
                try await directory.createBrand(
                    Brand(id: Self.brand, name: "Acme", settings: BrandSettings(), createdAt: clock.now)
                )
            }
            result = .success(try await test(GatewayLife(fixture: self, store: store, directory: directory)))
        } catch { result = .failure(error) }
        await store.close()
        try result.get()
    }

    /// Has the provider issue a code.
    func issue(_ code: String, challenge: String? = nil, redirectURI: String = redirectURI, subject: String = "u-1") {
        simulator.identityProvider.issue([
            SimulatedCode(
                code: code,
                redirectURI: redirectURI,
                clientID: Self.clientID,
                codeChallenge: challenge,
                claims: [.init(name: "sub", value: .string(subject))]
            )
        ])
    }

    /// The calls of the provider.
    var calls: ProviderCalls { ProviderCalls(client: client, clock: clock, metrics: metrics, logger: Self.logger) }

    /// Has the provider misbehave.
    func rule(_ action: RuleAction, _ path: String = "token") {
        simulator.setRules([.init(match: .init(provider: .identityProvider, tokenPrefix: path), action: action)])
    }
}

/// A gateway between two restarts.
struct GatewayLife: Sendable {
    let fixture: ProviderFixture
    let store: any GatewayStore
    let directory: Directory
    let codes: CodeExchange

    init(fixture: ProviderFixture, store: any GatewayStore, directory: Directory) {
        self.fixture = fixture
        self.store = store
        self.directory = directory
        codes = CodeExchange(
            directory: directory,
            store: store,
            calls: fixture.calls
        )
    }

    /// Creates a provider's credential.
    @discardableResult
    func provider(
        _ name: String? = nil,
        at address: String? = nil,
        clientAuth: IdentityProviderDetails.ClientAuthentication = .basic,
        pkce: IdentityProviderDetails.PKCE = .optional,
        clientID: String = ProviderFixture.clientID,
        secret: String = ProviderFixture.clientSecret,
        expiresAt: Timestamp? = nil
    ) async throws -> String {
        let details = IdentityProviderDetails(
            issuer: SimulatedIdentityProvider.issuer,
            issuerDisplayName: name,
            tokenEndpoint: (address ?? fixture.plain) + "/token",
            clientId: clientID,
            clientAuth: clientAuth,
            redirectUris: ["app.example:/other", ProviderFixture.redirectURI],
            pkce: pkce,
            key: VerificationKey(algorithm: .rs256, keyId: nil, source: .jwks(url: fixture.plain + "/jwks"))
        )
        return try await directory.issue(
            .identityProvider(details, clientSecret: secret),
            brand: ProviderFixture.brand,
            name: "idp",
            expiresAt: expiresAt
        ).summary.id
    }

    /// Redeems a code.
    func redeem(
        _ code: String,
        redirectURI: String = ProviderFixture.redirectURI,
        verifier: String? = nil,
        issuer: String? = nil
    ) async -> Result<CodeRedemption, CodeExchangeError> {
        do {
            return .success(
                try await codes.redeem(
                    code: code,
                    redirectURI: redirectURI,
                    codeVerifier: verifier,
                    issuerName: issuer,
                    brand: ProviderFixture.brand
                )
            )
        } catch { return .failure(error) }
    }

    /// Returns the error of a code's redemption; nil for none.
    func rejection(
        _ code: String,
        redirectURI: String = ProviderFixture.redirectURI,
        verifier: String? = nil,
        issuer: String? = nil
    ) async -> CodeExchangeError? {
        switch await redeem(code, redirectURI: redirectURI, verifier: verifier, issuer: issuer) {
        case .success: nil
        case .failure(let error): error
        }
    }
}

extension AuthenticationError {
    /// Whether an upstream service caused the error.
    var isUpstream: Bool { operatorText != nil }

    /// The text for operators only about an upstream error.
    var operatorText: String? { if case .upstreamUnavailable(let text) = self { text } else { nil } }
}

extension CodeExchangeError {
    /// Returns the rejection of a code.
    static func tokenInvalid(_ reason: TokenInvalidReason) -> Self { .refused(.tokenInvalid(reason)) }

    /// Whether the provider caused the error.
    var isUpstream: Bool { if case .refused(let error) = self { error.isUpstream } else { false } }

    /// The text for operators only about the provider's error.
    var operatorText: String? { if case .refused(let error) = self { error.operatorText } else { nil } }

    /// The text for the device; nil when the routes have it.
    var text: String? { if case .refused(let error) = self { error.text } else { nil } }
}

/// A reader that accepts every app.
struct NoSettingsReader: AppSettingsReader {
    func open(_ app: AppSettings) -> Result<AppSettings, SettingsProblem> { .success(app) }
    func problems(_ app: AppSettings) -> [SettingsProblem] { [] }
    func certificate(_ app: AppSettings) -> APNsCertificateFacts? { nil }
}

/// A resolver that always returns the same addresses.
struct FixedResolver: HostResolver {
    var found: [InternetAddress]

    func addresses(of host: String, for _: String) async -> [InternetAddress] { found }
}

/// A resolver that returns nothing, and only once it is released.
final class HeldResolver: HostResolver {
    private struct State {
        var asked = 0
        var isReleased = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// The number of lookups.
    var asked: Int { state.withLock { $0.asked } }

    func addresses(of host: String, for _: String) async -> [InternetAddress] {
        await withCheckedContinuation { continuation in
            let isReleased = state.withLock { state in
                state.asked += 1
                if !state.isReleased { state.waiting.append(continuation) }
                return state.isReleased
            }
            if isReleased { continuation.resume() }
        }
        return []
    }

    /// Releases all waiting and later lookups.
    func release() {
        let waiting = state.withLock { state in
            state.isReleased = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.resume() }
    }
}
