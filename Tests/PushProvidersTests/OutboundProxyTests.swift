import Cryptography
import GatewayModel
import GuardedHTTP
import HTTP2Connections
import PushProviders
import TestSupport
import Testing

@Suite("Pushes through the outbound proxy", .timeLimit(.minutes(10)))
struct OutboundProxyTests {
    private static let respond: TestServer.Responder = { request in
        if request.path == "/token" { return .grant("t1") }
        return request.path.hasPrefix("/3/device/") ? .apns(request) : .fcm
    }
    private let key = P256.PrivateKey()

    /// A description of the proxy, which is also used for this host unless it is an exception.
    private func description(
        of proxy: ProxyServer,
        password: String = "secret",
        except exceptions: [String] = ["nothing.invalid"]
    ) throws -> OutboundProxy {
        OutboundProxy(
            host: "127.0.0.1",
            port: proxy.port,
            credentials: (user: "user", password: password),
            exceptions: try #require(ProxyExceptions(exceptions))
        )
    }

    private func isFailed(_ state: PushProviderState) -> Bool {
        if case .failed = state { true } else { false }
    }

    @Test("leave by CONNECT to the provider's name, and so do requests for access tokens")
    func open() async throws {
        let proxy = try await ProxyServer.start()
        proxy.require("Basic dXNlcjpzZWNyZXQ=")
        try await Harness.run(proxy: try description(of: proxy), respond: Self.respond) { harness in
            #expect(await harness.factory.checkProxy()?.isUsable == true)
            let apps = [
                (TestMessages.apns(key: key, port: harness.port), TestMessages.lane(.apns)),
                (TestMessages.fcm(port: harness.port), TestMessages.lane(.fcm)),
            ]
            for (app, lane) in apps {
                try await harness.lane(app, lane) { provider, source in
                    source.add()
                    provider.wake()
                    guard case .accepted = await source.responses.next().response.outcome else {
                        Issue.record("not accepted")
                        return
                    }
                }
            }
            #expect(harness.application.grants.pending.count == 1)
            let name = "localhost:\(harness.port)"
            #expect(proxy.targets.filter { $0 != "switchboard.invalid:443" } == [name, name, name])
        }
        await proxy.stop()
    }

    @Test("wait while the proxy rejects them: the lane names the proxy, nothing is taken, and they leave afterwards")
    func rejected() async throws {
        let proxy = try await ProxyServer.start()
        proxy.require("Basic dXNlcjpzZWNyZXQ=")
        let wrong = try description(of: proxy, password: "wrong")
        try await Harness.run(proxy: wrong, respond: Self.respond) { harness in
            let check = await harness.factory.checkProxy()
            #expect(check?.isUsable == false && check?.text.contains("407") == true)
            let app = TestMessages.apns(key: key, port: harness.port)
            try await harness.lane(app, TestMessages.lane(.apns)) { provider, source in
                source.add()
                provider.wake()
                let state = await source.states.first { isFailed($0) }
                guard case .failed(.proxy, let reason) = state else {
                    Issue.record("\(state)")
                    return
                }
                #expect(reason.contains("127.0.0.1:\(proxy.port)") && reason.contains("407"))
                #expect(!reason.contains("wrong"))
                #expect(source.waiting == 1 && source.responses.pending.isEmpty)
                proxy.require(nil)
                guard case .accepted = await source.responses.next().response.outcome else {
                    Issue.record("not accepted")
                    return
                }
            }
        }
        await proxy.stop()
    }

    @Test("wait while the proxy rejects the request for an access token, which names the proxy too")
    func token() async throws {
        let proxy = try await ProxyServer.start()
        proxy.behave(.send("HTTP/1.1 403 Forbidden\r\n\r\n"))
        // The provider itself is reached directly.
        let some = try description(of: proxy, except: ["127.0.0.1"])
        try await Harness.run(proxy: some, respond: Self.respond) { harness in
            var app = TestMessages.fcm(port: harness.port)
            app.fcm?.endpoint = "https://127.0.0.1:\(harness.port)"
            try await harness.lane(app, TestMessages.lane(.fcm)) { provider, source in
                source.add()
                provider.wake()
                let state = await source.states.first { isFailed($0) }
                guard case .failed(.proxy, let reason) = state else {
                    Issue.record("\(state)")
                    return
                }
                #expect(reason.contains("the proxy 127.0.0.1:\(proxy.port) (provider.proxy)"))
                #expect(source.waiting == 1)
                #expect(Set(proxy.targets) == ["localhost:\(harness.port)"])
            }
        }
        await proxy.stop()
    }

    @Test("do not use it for hosts that are exceptions")
    func exceptions() async throws {
        let proxy = try await ProxyServer.start()
        let all = try description(of: proxy, except: ["localhost"])
        try await Harness.run(proxy: all, respond: Self.respond) { harness in
            try await harness.lane(TestMessages.fcm(port: harness.port), TestMessages.lane(.fcm)) { provider, _ in
                #expect(await provider.check().isUsable)
            }
        }
        #expect(proxy.heads.isEmpty)
        await proxy.stop()
    }

    @Test("to endpoints of a tenant go to a checked address; a forbidden one is never given to the proxy")
    func tenants() async throws {
        let proxy = try await ProxyServer.start()
        let resolver = TableResolver(["other.example": [["8.8.8.8"]], "inside.example": [["10.0.0.1"]]])
        try await Harness.run(
            certificate: TestCertificates.other,
            resolver: resolver,
            proxy: try description(of: proxy),
            respond: Self.respond
        ) { harness in
            for (host, isAllowed) in [("other.example", true), ("inside.example", false)] {
                var app = TestMessages.fcm(port: harness.port)
                app.fcm?.endpoint = "https://\(host):\(harness.port)"
                app.fcm?.serviceAccount.tokenUri = "https://\(host):\(harness.port)/token"
                app.endpointsBy = .tenant
                try await harness.lane(app, TestMessages.lane(.fcm)) { provider, _ in
                    #expect(await provider.check().isUsable == isAllowed)
                }
            }
            #expect(Set(proxy.targets) == ["8.8.8.8:\(harness.port)"])
        }
        await proxy.stop()
    }
}
