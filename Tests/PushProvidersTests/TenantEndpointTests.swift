import Cryptography
import GatewayModel
import GuardedHTTP
import HTTP2Connections
import PushProviders
import TestSupport
import Testing

@Suite("Endpoints that a tenant set", .timeLimit(.minutes(10)))
struct TenantEndpointTests {
    private static let loopback = AddressPolicy(allowsLoopback: true)
    private let key = P256.PrivateKey()

    /// Returns apps of both transports, with every endpoint at one host and port.
    private func apps(_ host: String, _ port: Int, by setter: AppSettings.EndpointSetter?) -> [(AppSettings, LaneKey)] {
        var apns = TestMessages.apns(key: key, port: port)
        apns.apns?.endpoints = .init(production: "https://\(host):\(port)")
        var fcm = TestMessages.fcm(port: port)
        fcm.fcm?.endpoint = "https://\(host):\(port)"
        fcm.fcm?.serviceAccount.tokenUri = "https://\(host):\(port)/token"
        apns.endpointsBy = setter
        fcm.endpointsBy = setter
        return [(apns, TestMessages.lane(.apns)), (fcm, TestMessages.lane(.fcm))]
    }

    /// Returns whether a provider can be created and used.
    private func isUsable(_ factory: PushProviderFactory, _ app: AppSettings, _ lane: LaneKey) async -> Bool {
        do {
            let provider = try factory.make(lane: lane, app: app, brand: TestMessages.brand, source: TestSource())
            let verdict = await provider.check()
            await provider.shutdown(within: .zero)
            return verdict.isUsable
        } catch { return false }
    }

    @Test(
        "reach only public addresses, whatever a name resolves to: a private listener gets no connection",
        arguments: [
            ("127.0.0.1", []), ("localhost", ["127.0.0.1"]), ("a.localhost", ["127.0.0.1"]), ("[::ffff:127.0.0.1]", []),
            ("10.0.0.1", []), ("169.254.169.254", []), ("0.0.0.0", []), ("2130706433", ["127.0.0.1"]),
            ("0x7f.1", ["127.0.0.1"]), ("innocent.example", ["127.0.0.1"]), ("innocent.example", ["::ffff:127.0.0.1"]),
            ("innocent.example", ["8.8.8.8", "127.0.0.1"]), ("innocent.example", ["10.0.0.1"]),
            ("innocent.example", ["169.254.169.254"]), ("innocent.example", ["0.0.0.0"]),
        ]
    )
    func closed(host: String, addresses: [String]) async throws {
        let listener = try await CountingListener.start()
        let resolver = TableResolver([host: [addresses]])
        try await Harness.factory(resolver: resolver) { factory, _ in
            for (app, lane) in apps(host, listener.port, by: .tenant) {
                #expect(await !isUsable(factory, app, lane))
            }
        }
        #expect(listener.connections == 0)
        await listener.stop()
    }

    @Test("get no token request if only the token endpoint is internal", arguments: [true, false])
    func tokenEndpoint(isTenants: Bool) async throws {
        let listener = try await CountingListener.start()
        let resolver = TableResolver(["localhost": [["127.0.0.1"]], "innocent.example": [["127.0.0.1"]]])
        let respond: TestServer.Responder = { _ in .fcm }
        try await Harness.run(policy: Self.loopback, resolver: resolver, respond: respond) { harness in
            var app = TestMessages.fcm(port: harness.port)
            let host = isTenants ? "innocent.example" : "localhost"
            app.fcm?.serviceAccount.tokenUri = "https://\(host):\(listener.port)/token"
            app.endpointsBy = isTenants ? .tenant : .admin
            #expect(await !isUsable(harness.factory, app, TestMessages.lane(.fcm)))
        }
        #expect(isTenants ? listener.connections == 0 : listener.connections > 0)
        await listener.stop()
    }

    @Test("never reach a port of the gateway itself")
    func ownPort() async throws {
        let listener = try await CountingListener.start()
        let ownPorts = OwnPorts()
        ownPorts.add(listener.port)
        let policy = AddressPolicy(allowsPrivate: true, allowsLoopback: true, ownPorts: ownPorts)
        let resolver = TableResolver(["localhost": [["127.0.0.1"]]])
        try await Harness.factory(policy: policy, resolver: resolver) { factory, _ in
            for host in ["localhost", "127.0.0.1", "[::ffff:127.0.0.1]", "0.0.0.0"] {
                for (app, lane) in apps(host, listener.port, by: .tenant) {
                    #expect(await !isUsable(factory, app, lane))
                }
            }
        }
        #expect(listener.connections == 0)
        await listener.stop()
    }

    @Test("set by the administrator are not checked", arguments: [nil, AppSettings.EndpointSetter.admin])
    func administrators(setter: AppSettings.EndpointSetter?) async throws {
        let listener = try await CountingListener.start()
        try await Harness.factory { factory, _ in
            for (app, lane) in apps("127.0.0.1", listener.port, by: setter) {
                let before = listener.connections
                #expect(await !isUsable(factory, app, lane))
                #expect(listener.connections > before)
            }
        }
        await listener.stop()
    }

    @Test("that pass are dialled at the checked address; the next connection checks again")
    func rebinding() async throws {
        let respond: TestServer.Responder = { $0.path == "/token" ? .grant("t1") : .fcm }
        for pushType in [PushType.apns, .fcm] {
            // FCM looks up once for the connection and once for the token.
            let lookUps = pushType == .fcm ? 2 : 1
            let passing = Array(repeating: ["127.0.0.1"], count: lookUps)
            let resolver = TableResolver(["localhost": passing + [["10.0.0.1"]]])
            try await Harness.run(policy: Self.loopback, resolver: resolver, respond: respond) { harness in
                for (app, lane) in apps("localhost", harness.port, by: .tenant) where lane.pushType == pushType {
                    #expect(await isUsable(harness.factory, app, lane))
                    #expect(resolver.asked == lookUps)
                    #expect(await !isUsable(harness.factory, app, lane))
                }
            }
        }
    }

    @Test("do not share an access token with the administrator's app of the same service account")
    func tokens() async throws {
        let respond: TestServer.Responder = { $0.path == "/token" ? .grant("t1") : .fcm }
        let resolver = TableResolver(["localhost": [["127.0.0.1"], ["10.0.0.1"]]])
        try await Harness.run(policy: Self.loopback, resolver: resolver, respond: respond) { harness in
            var app = TestMessages.fcm(port: harness.port)
            #expect(await isUsable(harness.factory, app, TestMessages.lane(.fcm)))
            app.endpointsBy = .tenant
            #expect(await !isUsable(harness.factory, app, TestMessages.lane(.fcm)))
            #expect(harness.application.grants.pending.count == 1)
        }
    }
}
