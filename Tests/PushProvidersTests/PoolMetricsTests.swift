import Crypto
import GatewayModel
import HTTP2Connections
import PushProviders
import Telemetry
import Testing

@Suite("What connections to providers are counted as", .timeLimit(.minutes(1)))
struct PoolMetricsTests {
    @Test("connections by what they do and why they ended, streams, and what held them back")
    func counts() async throws {
        let registry = PrometheusRegistry()
        let answer: TestServer.Answer = { _ in nil }
        try await Harness.run(metrics: ProviderMetrics(factory: registry), answer: answer) { harness in
            let app = TestMessages.apns(key: P256.Signing.PrivateKey(), port: harness.port)
            try await harness.lane(app, TestMessages.lane(.apns)) { provider, source in
                source.add()
                provider.wake()
                let first = await harness.application.pushes.next()
                #expect(Self.value("connections", "provider=\"apns\",state=\"ready\"", registry) == "1")
                first.stream.connection.goAway(lastStreamID: 0)
                _ = await source.answers.next()
                source.add()
                provider.wake()
                let second = await harness.application.pushes.next()
                second.stream.respond(.json(200, ""))
                _ = await source.answers.next()
            }
        }
        #expect(Self.value("connections_closed_total", "provider=\"apns\",reason=\"goaway\"", registry) == "1")
        #expect(Self.value("connections_closed_total", "provider=\"apns\",reason=\"shutdown\"", registry) == "1")
        for state in ["connecting", "ready", "draining"] {
            #expect(Self.value("connections", "provider=\"apns\",state=\"\(state)\"", registry) == "0")
        }
        #expect(Self.value("open_streams", "provider=\"apns\"", registry) == "0")
        #expect(Self.value("held_back_total", "by=\"streams\",provider=\"apns\"", registry) == "0")
    }

    private static func value(_ name: String, _ labels: String, _ registry: PrometheusRegistry) -> Substring? {
        let start = "switchboard_provider_\(name){\(labels)} "
        return registry.render().split(separator: "\n").first { $0.hasPrefix(start) }?.dropFirst(start.count)
    }
}
