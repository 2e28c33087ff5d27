import Foundation
import GatewayModel
import GuardedHTTP
import HTTP2Connections
import PushPayloads
import TestSupport
import Testing

@testable import PushProviders

@Suite("The provider for a brand's push proxy", .timeLimit(.minutes(10)))
struct PushProxyProviderTests {
    private static func app(_ port: Int) -> AppSettings {
        var app = AppSettings(platform: .ios)
        app.pushProxy = PushProxySettings(
            url: "https://localhost:\(port)/push?account=1",
            basic: .init(username: "acme", password: "hush"),
            headers: ["Tenant": "a-1", "Key": "k$1"]
        )
        return app
    }

    /// Runs a test with a proxy that responds with a status; nil leaves its requests open.
    private static func run(
        status: Int? = 200,
        addresses: [String] = ["127.0.0.1"],
        body: (Harness) async throws -> Void
    ) async throws {
        let headers = [(name: "location", value: "/elsewhere")]
        let respond: TestServer.Responder = { _ in status.map { .json($0, "{}", headers: headers) } }
        try await Harness.run(
            policy: AddressPolicy(allowsLoopback: true),
            resolver: TableResolver(["localhost": [addresses]]),
            respond: respond,
            body: body
        )
    }

    @Test("R183: each push is one request with the proxy's credentials, and no provider is asked")
    func push() async throws {
        try await Self.run { harness in
            try await harness.lane(Self.app(harness.port), TestMessages.lane(.apns)) { provider, source in
                source.add(2)
                provider.wake()
                var tokens: Set<String> = []
                for request in await harness.application.pushes.take(2) {
                    #expect(request.method == "POST" && request.path == "/push?account=1")
                    #expect(request["authorization"] == "Basic YWNtZTpodXNo")
                    #expect(request["tenant"] == "a-1" && request["key"] == "k$1")
                    #expect(request["content-type"] == "application/json")
                    let body = try #require(try JSONSerialization.jsonObject(with: Data(request.body)) as? NSDictionary)
                    #expect(body["push-service"] as? Int == 1)
                    tokens.insert(body["device-token"] as? String ?? "")
                }
                #expect(tokens == ["ab1", "ab2"])
                for result in await source.responses.take(2) {
                    #expect(result.response.outcome == .accepted(providerID: nil))
                    #expect(result.response.status == 200 && result.response.badge == 3)
                }
                #expect(await source.states.next() == .ready)
                #expect(harness.application.grants.pending.isEmpty)
            }
        }
    }

    @Test(
        "R183: the proxy's status decides, and each push has one request",
        arguments: [
            (200, .accepted(providerID: nil)), (302, .misconfigured), (401, .misconfigured),
            (403, .rejected(token: .quarantine)), (500, .retry(afterSeconds: 10, scope: .laneIfSeveral)),
        ] as [(Int, PushOutcome)]
    )
    func statuses(status: Int, outcome: PushOutcome) async throws {
        try await Self.run(status: status) { harness in
            try await harness.lane(Self.app(harness.port), TestMessages.lane(.fcm)) { provider, source in
                source.add()
                provider.wake()
                let response = await source.responses.next().response
                #expect(response.outcome == outcome && response.status == status && response.reason == nil)
                #expect(harness.application.pushes.pending.count == 1)
            }
        }
    }

    @Test("an address that is forbidden or unknown gets no connection, whoever set the URL")
    func guarded() async throws {
        for (addresses, outcome, reason) in [
            (["10.0.0.1"], .misconfigured, "forbidden_address"),
            (["127.0.0.1", "10.0.0.1"], .misconfigured, "forbidden_address"),
            ([], .retry(afterSeconds: nil, scope: .laneIfSeveral), "unresolved"),
        ] as [([String], PushOutcome, String)] {
            try await Self.run(addresses: addresses) { harness in
                try await harness.lane(Self.app(harness.port), TestMessages.lane(.apns)) { provider, source in
                    source.add()
                    provider.wake()
                    let response = await source.responses.next().response
                    #expect(response.outcome == outcome && response.reason == reason && response.status == 0)
                    let origin = "https://localhost:\(harness.port)"
                    #expect(await source.states.next() == .failed(.unreachable, reason: "\(origin): \(reason)"))
                    #expect(await !provider.check().isUsable)
                }
                #expect(harness.application.pushes.pending.isEmpty)
            }
        }
        // The text alone shows it.
        try await Harness.factory { factory, _ in
            let error = #expect(throws: PushCredentialError.self) {
                _ = try factory.make(
                    lane: TestMessages.lane(.apns),
                    app: Self.app(443),
                    brand: TestMessages.brand,
                    source: TestSource()
                )
            }
            #expect(error?.pointer == "/pushProxy/url")
            #expect(factory.hostsToResolve(lane: TestMessages.lane(.apns), app: Self.app(443)).isEmpty)
        }
    }

    @Test("a lane has 16 requests in flight at most; the shutdown ends them with the outcome unknown")
    func inFlight() async throws {
        try await Self.run(status: nil) { harness in
            try await harness.lane(Self.app(harness.port), TestMessages.lane(.apns)) { provider, source in
                source.add(40)
                provider.wake()
                _ = await harness.application.pushes.take(16)
                provider.wake()
                #expect(source.waiting == 24)
                await provider.shutdown(within: .zero)
                let results = await source.responses.take(16)
                #expect(results.allSatisfy { $0.response.outcome == .unknown })
                #expect(Set(results.map(\.delivery)).count == 16)
                provider.wake()
                #expect(source.waiting == 24)
            }
        }
    }

    @Test("a check sends no push, and tells what the proxy says about the credential")
    func check() async throws {
        for status in [200, 401, 405] {
            try await Self.run(status: status) { harness in
                try await harness.lane(Self.app(harness.port), TestMessages.lane(.apns)) { provider, source in
                    source.add()
                    let verdict = await provider.check()
                    #expect(verdict.isUsable == (status != 401))
                    #expect(verdict.text.contains("GET with \(status)") && !verdict.text.contains("hush"))
                    #expect(await harness.application.pushes.next().method == "GET")
                    #expect(source.waiting == 1)
                }
            }
        }
    }

    @Test("a preview masks the credentials and counts the body without the token")
    func preview() throws {
        let source = TestSource()
        source.add()
        var jobs: [PushJob] = []
        source.nextPushes(capacity: 1, into: &jobs)
        let preview = try PushPreview(
            of: try #require(jobs.first),
            lane: TestMessages.lane(.fcm),
            app: Self.app(8443),
            brand: TestMessages.brand,
            now: TestMessages.now
        )
        #expect(preview.origin == "https://localhost:8443" && preview.request.path == "/push?account=1")
        #expect(preview.maskedAuthorization == "Basic ***" && preview.maskedHeaders == ["Key", "Tenant"])
        #expect(preview.request.headers.map(\.name.description) == ["content-type"])
        #expect(preview.countedBytes == preview.request.body.count - "ab1".utf8.count)
    }

    @Test("no brand takes all slots: a lane that gets none is woken when one is free")
    func slots() {
        let slots = PushProxySlots(capacity: 2)
        let lanes = (0..<3).map { _ in TestSource() }
        let woken = Mailbox<Int>()
        func take(_ brand: String, _ lane: Int) -> Int {
            slots.take(BrandID(trusted: brand), atMost: 5, for: ObjectIdentifier(lanes[lane])) {
                woken.put(lane)
            }
        }
        #expect(take("a", 0) == 1)
        #expect(take("b", 1) == 1)
        #expect(take("c", 2) == 0)
        #expect(take("c", 2) == 0)
        slots.release(BrandID(trusted: "a"), 1)
        slots.release(BrandID(trusted: "b"), 0)
        #expect(woken.pending == [2])
        #expect(take("c", 2) == 1)
        #expect(take("a", 0) == 0)
        slots.leave(ObjectIdentifier(lanes[0]))
        slots.release(BrandID(trusted: "c"), 1)
        #expect(woken.pending == [2])
    }
}
