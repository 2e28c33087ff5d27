import Cryptography
import GatewayModel
import GuardedHTTP
import NIOCore
import NIOPosix
import Testing

@testable import PushProviders

/// A resolver that returns this host for any name; the lookup of one name never ends.
private struct HangingResolver: HostResolver {
    func addresses(of host: String, for _: String) async -> [InternetAddress] {
        if host == "hangs.example" {
            let never = AsyncStream<Void> { _ in }
            for await _ in never {}
        }
        return InternetAddress("127.0.0.1").map { [$0] } ?? []
    }
}

@Suite("The addresses of endpoints", .timeLimit(.minutes(10)))
struct EndpointResolverTests {
    private static let respond: TestServer.Responder = { _ in .fcm }

    @Test("are tried in another order for each connection, separately by family, and none is lost")
    func order() async throws {
        let texts = (1...20).map { "192.0.2.\($0)" } + (1...20).map { "2001:db8::\($0)" }
        let addresses = texts.compactMap { InternetAddress($0) }
        let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
        var orders: Set<[String]> = []
        for _ in 0..<3 {
            let resolver = EndpointResolver(port: 443, on: eventLoop) { addresses }
            let four = try await resolver.initiateAQuery(host: "h", port: 443).get().compactMap(\.ipAddress)
            let six = try await resolver.initiateAAAAQuery(host: "h", port: 443).get().compactMap(\.ipAddress)
            #expect((four + six).sorted() == texts.sorted())
            orders.insert(four + six)
        }
        #expect(orders.count == 3)
    }

    @Test("are looked up with the process's resolver, unless they are IP addresses")
    func asked() async throws {
        let names = TableResolver(["localhost": [["127.0.0.1"]]])
        try await Harness.run(names: names, respond: Self.respond) { harness in
            for (host, asked) in [("localhost", 1), ("127.0.0.1", 1)] {
                var app = TestMessages.apns(key: P256.PrivateKey(), port: harness.port)
                app.apns?.endpoints = .init(production: "https://\(host):\(harness.port)")
                try await harness.lane(app, TestMessages.lane(.apns)) { provider, _ in
                    #expect(await provider.check().isUsable)
                }
                #expect(names.asked == asked)
            }
        }
    }

    @Test("that are not found make a lane fail, and a hanging lookup stops no other lane")
    func hanging() async throws {
        try await Harness.run(names: HangingResolver(), respond: Self.respond) { harness in
            var stuck = TestMessages.apns(key: P256.PrivateKey(), port: harness.port)
            stuck.apns?.endpoints = .init(production: "https://hangs.example:\(harness.port)")
            let app = TestMessages.apns(key: P256.PrivateKey(), port: harness.port)
            try await harness.lane(stuck, TestMessages.lane(.apns)) { hung, _ in
                hung.wake()
                for _ in 0..<8 {
                    try await harness.lane(app, TestMessages.lane(.apns)) { provider, _ in
                        #expect(await provider.check().isUsable)
                    }
                }
            }
        }
        try await Harness.factory(names: TableResolver([:])) { factory, _ in
            let app = TestMessages.apns(key: P256.PrivateKey(), port: 1)
            let lane = TestMessages.lane(.apns)
            let provider = try factory.make(lane: lane, app: app, brand: TestMessages.brand, source: TestSource())
            #expect(await !provider.check().isUsable)
            await provider.shutdown(within: .zero)
        }
    }
}
