import Cryptography
import GatewayModel
import HTTP2Connections
import NIOCore
import PushProviders
import Telemetry
import TestSupport
import Testing

@Suite("Metrics of provider connections", .timeLimit(.minutes(10)))
struct PoolMetricsTests {
    @Test("blocked connections, by streams or window", arguments: ["streams", "window"])
    func heldBack(by reason: String) async throws {
        let registry = PrometheusRegistry()
        var configuration = HTTP2ServerConfiguration()
        if reason == "streams" {
            configuration.maxConcurrentStreams = 10
        } else {
            // Window updates come later than the end of the test.
            configuration.windowUpdateDelay = .hours(1)
        }
        let respond: TestServer.Responder = { $0.stream.id == 1 ? .apns($0) : nil }
        try await Harness.run(
            metrics: ProviderMetrics(factory: registry),
            server: configuration,
            respond: respond
        ) { harness in
            let app = TestMessages.apns(key: P256.PrivateKey(), port: harness.port)
            try await harness.lane(app, TestMessages.lane(.apns)) { provider, source in
                source.add()
                provider.wake()
                _ = await source.responses.next()
                // 9 of 10 streams, or 16 bodies of 4 KB.
                source.add(30, message: TestMessages.message { $0.text = String(repeating: "x", count: 3500) })
                provider.wake()
                _ = await harness.application.pushes.take(10)
                #expect(
                    Int(Self.value("held_back_total", "by=\"\(reason)\",provider=\"apns\"", registry) ?? "") ?? 0 > 0
                )
            }
        }
    }

    @Test("connections by phase and end reason, and streams")
    func counts() async throws {
        let registry = PrometheusRegistry()
        let respond: TestServer.Responder = { _ in nil }
        try await Harness.run(metrics: ProviderMetrics(factory: registry), respond: respond) { harness in
            let app = TestMessages.apns(key: P256.PrivateKey(), port: harness.port)
            try await harness.lane(app, TestMessages.lane(.apns)) { provider, source in
                source.add()
                provider.wake()
                let first = await harness.application.pushes.next()
                #expect(Self.value("connections", "provider=\"apns\",state=\"ready\"", registry) == "1")
                first.stream.connection.goAway(lastStreamID: 0)
                _ = await source.responses.next()
                source.add()
                provider.wake()
                let second = await harness.application.pushes.next()
                second.stream.respond(.json(200, ""))
                _ = await source.responses.next()
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
