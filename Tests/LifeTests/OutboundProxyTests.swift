import Foundation
import GatewayClient
import ProcessHarness
import TestSupport
import Testing

@Suite("A gateway behind an outbound proxy", .timeLimit(.minutes(10)))
struct OutboundProxyTests {
    private static let authorization = "Basic dXNlcjpzZWNyZXQtd29yZA=="

    /// The settings of a gateway that also reaches this host through the proxy.
    private func settings(_ proxy: ProxyServer, password path: String) -> [String: String] {
        [
            "SWITCHBOARD_PROVIDER_PROXY": "http://user@127.0.0.1:\(proxy.port)",
            "SWITCHBOARD_PROVIDER_PROXY_PASSWORD_FILE": path,
            "SWITCHBOARD_PROVIDER_NO_PROXY": "nothing.invalid",
        ]
    }

    @Test("its pushes wait while the proxy rejects it, cost no attempt, and leave through it afterwards")
    func pushes() async throws {
        let directory = try TemporaryDirectory()
        let proxy = try await ProxyServer.start()
        proxy.require("Basic other")
        let path = directory.path("proxy-password")
        try "secret-word\n".write(toFile: path, atomically: true, encoding: .utf8)
        let settings = settings(proxy, password: path)
        let fixture = try await GatewayFixture.start(in: directory, environment: settings)
        #expect(try await fixture.post("evt-1").status == 202)
        let line = try await fixture.gateway.process.errorLine("the outbound proxy does not connect to a provider")
        #expect(line.contains("127.0.0.1:\(proxy.port)") && line.contains("407"))
        proxy.require(Self.authorization)
        #expect(try await fixture.simulator.pushes(1).count == 1)
        try await fixture.wait(for: "the delivery") {
            try await fixture.deliveries().first?["state"].string == "accepted"
        }
        let delivery = try #require(try await fixture.deliveries().first)
        #expect(delivery["attempts"].integer == 1, "\(delivery.text)")
        #expect(!proxy.targets.isEmpty)
        #expect(try await fixture.gateway.process.stop().status == 0)
        let logged = fixture.gateway.process.errors.joined()
        #expect(!logged.contains("secret-word") && !logged.contains("dXNlcjpzZWNyZXQtd29yZA"))

        let environment = settings.merging(["SWITCHBOARD_PROVIDER_TRUST_ROOTS": fixture.simulator.authority]) { $1 }
        let arguments = ["check", "--data-dir", directory.path("data")]
        let good = try ChildProcess("switchboard", arguments, environment: environment)
        #expect(try await good.ended().status == 0, "\(good.output) \(good.errors)")
        #expect(good.output.contains { $0.hasPrefix("ok   proxy: 127.0.0.1:\(proxy.port)") })
        proxy.require("Basic other")
        let bad = try ChildProcess("switchboard", arguments, environment: environment)
        #expect(try await bad.ended().status == 1)
        #expect(bad.output.contains { $0.hasPrefix("BAD  proxy: ") && $0.contains("407") })
        await proxy.stop()
        #expect(try await fixture.simulator.process.stop().status == 0)
    }

    @Test("a password file that cannot be read, or one without a user, exits with 2")
    func wrongPasswordFile() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("proxy-password")
        for url in ["http://user@127.0.0.1:1", "http://127.0.0.1:1", "http://user:secret-word@127.0.0.1:1"] {
            let serve = try ChildProcess(
                "switchboard",
                ["serve", "--listen", "127.0.0.1:0", "--data-dir", directory.path("data")],
                environment: [
                    "SWITCHBOARD_PROVIDER_PROXY": url, "SWITCHBOARD_PROVIDER_PROXY_PASSWORD_FILE": path,
                ]
            )
            #expect(try await serve.ended().status == 2)
            let text = serve.errors.joined()
            #expect(text.contains("provider.proxyPasswordFile") && !text.contains("secret-word"))
        }
    }
}
