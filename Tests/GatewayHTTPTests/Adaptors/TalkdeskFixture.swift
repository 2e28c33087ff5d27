import Cryptography
import GatewayModel
import HTTPTypes
import Identity
import PushSimulator
import TestSupport
import Testing

@testable import GatewayHTTP

/// A brand with the adaptor on, and the simulated Talkdesk with the brand's client.
struct TalkdeskFixture: Sendable {
    static let path = "/v1/brands/acme/access/ios"
    private static let key = P256.PrivateKey()
    private static let secret = WebhookSecret()

    let api: API
    let simulator: PushSimulator

    /// Runs a test with a simulator on the gateway's clock.
    static func with(
        metrics: TestMetrics = TestMetrics(),
        _ test: @escaping @Sendable (TalkdeskFixture) async throws -> Void
    ) async throws {
        try await TestGateway.run(metrics: metrics) { api in
            var configuration = SimulatorConfiguration()
            configuration.clock = { SimulatorTime(milliseconds: api.clock.now.milliseconds) }
            let simulator = try await PushSimulator.start(configuration)
            simulator.talkdesk.register([
                TalkdeskClient(id: "client:1", keyID: "k-1", publicKey: key.publicKey, decisionKey: secret.key)
            ])
            let result: Result<Void, any Error>
            do {
                try await api.makeBrand(settings: #"{"wire":{"talkdesk":true},"anonymousConsumers":true}"#)
                result = .success(try await test(TalkdeskFixture(api: api, simulator: simulator)))
            } catch { result = .failure(error) }
            await simulator.stop()
            try result.get()
        }
    }

    private var address: String { "http://\(simulator.control.map { "\($0)" } ?? "")" }
    /// The number of requests to the token service and the decider.
    var asked: Int { simulator.statistics.requests(to: .talkdesk) }

    /// Creates the account of an app, and returns the credential for its callers.
    func makeBroker(
        _ brand: String = "acme",
        app: String = "ios",
        keyID: String = "k-1",
        decides: Bool = false,
        _ more: String = ""
    ) async throws -> Credential {
        let pem = Self.key.pemRepresentation.replacing("\n", with: "\\n")
        let decision =
            decides
            ? #","decision":{"url":"\#(address + SimulatedTalkdesk.decisionPath)","secret":"\#(Self.secret.text)"}"#
            : ""
        let made = try await api.call(
            .post,
            "/v1/brands/\(brand)/credentials",
            """
            {"kind":"tokenBroker","name":"t","app":"\(app)","clientId":"client:1","keyId":"\(keyID)",\
            "tokenUrl":"\(address + SimulatedTalkdesk.tokenPath)","scope":"\(SimulatedTalkdesk.scope)",\
            "privateKey":"\(pem)"\(decision)\(more)}
            """
        )
        try #require(made.status == 201, "\(made.text)")
        return .basic(try #require(made["id"]?.string), try #require(made["secret"]?.string))
    }

    func get(as credential: Credential, _ path: String = Self.path) async throws -> Reply {
        try await api.call(.get, path, as: credential)
    }

    func post(as credential: Credential, _ path: String = Self.path) async throws -> Reply {
        try await api.call(.post, path, as: credential)
    }

    /// Has the token service or the decider misbehave.
    func rule(_ action: RuleAction, _ path: String = "token") {
        simulator.setRules([.init(match: .init(provider: .talkdesk, tokenPrefix: path), action: action)])
    }
}
