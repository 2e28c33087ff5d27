import Cryptography
import Foundation
import GatewayModel
import HTTP2Connections
import PushProviders
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct APNsProviderTests {
    private let key = P256.PrivateKey()

    @Test("a push arrives complete with a token that the public key verifies, and its response comes back")
    func push() async throws {
        try await Harness.run(respond: HTTP2ServerResponse.apns) { harness in
            let app = TestMessages.apns(key: key, port: harness.port)
            try await harness.lane(app, TestMessages.lane(.apns)) { provider, source in
                source.add(badge: 4)
                provider.wake()
                let request = await harness.application.pushes.next()
                #expect(request.method == "POST")
                #expect(request.path == "/3/device/ab1")
                #expect(request["apns-topic"] == "com.example.app")
                #expect(request["apns-push-type"] == "alert")
                let body = try JSONSerialization.jsonObject(with: Data(request.body)) as? NSDictionary
                #expect((body?["aps"] as? NSDictionary)?["badge"] as? Int == 4)

                let authorization = try #require(request["authorization"])
                #expect(authorization.hasPrefix("bearer "))
                let token = try Compact(authorization.dropFirst("bearer ".count))
                #expect(token.header == ["alg": "ES256", "kid": "KEY1234567"])
                #expect(token.claims == ["iss": "TEAM123456", "iat": TestMessages.now.seconds])
                #expect(token.signature.count == 64)
                #expect(key.publicKey.isValidSignature(Array(token.signature), for: token.input))

                let response = await source.responses.next()
                #expect(response.delivery == DeliveryID(1))
                #expect(
                    response.response
                        == PushResponse(
                            outcome: .accepted(providerID: request["apns-id"]),
                            status: 200,
                            reason: nil,
                            badge: 4,
                            sentAt: TestMessages.now,
                            latencyMilliseconds: 0
                        )
                )
            }
        }
    }

    @Test("many pushes get one result each, and the latency is measured on the monotonic clock")
    func many() async throws {
        try await Harness.run(respond: HTTP2ServerResponse.apns) { harness in
            let app = TestMessages.apns(key: key, port: harness.port)
            try await harness.lane(app, TestMessages.lane(.apns)) { provider, source in
                source.add(500)
                provider.wake()
                let responses = await source.responses.take(500)
                #expect(Set(responses.map(\.delivery)).count == 500)
                #expect(responses.allSatisfy { $0.response.status == 200 })

                harness.application.setResponder { _ in nil }
                source.add()
                provider.wake()
                _ = await harness.application.pushes.take(500)
                let late = await harness.application.pushes.next()
                harness.clock.advance(milliseconds: 250)
                late.stream.respond(.apns(late))
                let response = await source.responses.next()
                #expect(response.response.latencyMilliseconds == 250)
                #expect(response.response.sentAt == TestMessages.now)
            }
        }
    }

    @Test("one token serves all lanes and connections of a key for 50 minutes; then each connection changes once")
    func tokenSharing() async throws {
        try await Harness.run(respond: HTTP2ServerResponse.apns) { harness in
            let app = TestMessages.apns(key: key, port: harness.port)
            let first = TestSource()
            let second = TestSource()
            try await harness.lane(app, TestMessages.lane(.apns), source: first) { one, _ in
                try await harness.lane(app, TestMessages.lane(.apns, .sandbox), source: second) { two, _ in
                    func token(_ provider: any PushProvider, _ source: TestSource) async -> String? {
                        source.add()
                        provider.wake()
                        _ = await source.responses.next()
                        return await harness.application.pushes.next()["authorization"]
                    }
                    let original = await token(one, first)
                    #expect(await token(two, second) == original)
                    harness.clock.advance(seconds: 49 * 60)
                    #expect(await token(one, first) == original)
                    harness.clock.advance(seconds: 60)
                    let changed = await token(one, first)
                    #expect(changed != original)
                    #expect(await token(two, second) == changed)
                    #expect(harness.server.openConnections.count == 2)
                }
            }
        }
    }

    @Test("a sandbox key is used only for the sandbox")
    func sandboxKey() async throws {
        let other = P256.PrivateKey()
        try await Harness.run(respond: HTTP2ServerResponse.apns) { harness in
            let app = TestMessages.apns(
                key: key,
                port: harness.port,
                sandbox: .init(keyId: "SANDBOX123", privateKey: other.pemRepresentation)
            )
            for (environment, keyID, publicKey) in [
                (PushEnvironment.production, "KEY1234567", key.publicKey), (.sandbox, "SANDBOX123", other.publicKey),
            ] {
                try await harness.lane(app, TestMessages.lane(.apns, environment)) { provider, source in
                    source.add()
                    provider.wake()
                    let request = await harness.application.pushes.next()
                    let token = try Compact(try #require(request["authorization"]).dropFirst(7))
                    #expect(token.header["kid"] as? String == keyID)
                    #expect(publicKey.isValidSignature(Array(token.signature), for: token.input))
                }
            }
        }
    }

    @Test("an expired token is renewed once for all failed pushes, which may be sent again at once")
    func expiredToken() async throws {
        try await Harness.run(respond: HTTP2ServerResponse.apns) { harness in
            let app = TestMessages.apns(key: key, port: harness.port)
            try await harness.lane(app, TestMessages.lane(.apns)) { provider, source in
                source.add()
                provider.wake()
                _ = await source.responses.next()
                let old = await harness.application.pushes.next()["authorization"]

                harness.application.setResponder { request in
                    request["authorization"] == old
                        ? .json(403, #"{"reason":"ExpiredProviderToken"}"#) : .apns(request)
                }
                source.add(3)
                provider.wake()
                let refused = await source.responses.take(3)
                for result in refused {
                    #expect(result.response.outcome == .retry(afterSeconds: 0, scope: .device))
                    #expect(result.response.status == 403)
                    #expect(result.response.reason == "ExpiredProviderToken")
                    source.addAgain(result.delivery)
                }
                provider.wake()
                let sent = await source.responses.take(3)
                #expect(sent.allSatisfy { $0.response.status == 200 })
                let tokens = await harness.application.pushes.take(6).map { $0["authorization"] }
                #expect(Set(tokens).count == 2)

                // A new token that is reported as expired too means a wrong clock: no third one.
                harness.application.setResponder { _ in .json(403, #"{"reason":"ExpiredProviderToken"}"#) }
                source.add()
                provider.wake()
                #expect(await source.responses.next().response.outcome == .misconfigured)
                source.add()
                provider.wake()
                #expect(await source.responses.next().response.outcome == .misconfigured)
                let last = await harness.application.pushes.take(2).map { $0["authorization"] }
                #expect(Set(last).subtracting(Set(tokens)).isEmpty)
            }
        }
    }

    @Test("after a token that came too early, a connection returns to the old one and waits")
    func tooManyUpdates() async throws {
        try await Harness.run(respond: HTTP2ServerResponse.apns) { harness in
            let app = TestMessages.apns(key: key, port: harness.port)
            try await harness.lane(app, TestMessages.lane(.apns)) { provider, source in
                source.add()
                provider.wake()
                _ = await source.responses.next()
                let old = await harness.application.pushes.next()["authorization"]
                harness.clock.advance(seconds: 50 * 60)
                harness.application.setResponder { request in
                    request["authorization"] == old
                        ? .apns(request) : .json(429, #"{"reason":"TooManyProviderTokenUpdates"}"#)
                }
                source.add()
                provider.wake()
                let refused = await source.responses.next()
                #expect(refused.response.outcome == .retry(afterSeconds: nil, scope: .lane))
                source.addAgain(refused.delivery)
                provider.wake()
                #expect(await source.responses.next().response.status == 200)
            }
        }
    }

    @Test("responses are interpreted by the table, the 410's time in milliseconds, and the badge is reported")
    func responses() async throws {
        let table: [(HTTP2ServerResponse, PushOutcome, String?)] = [
            (.json(400, #"{"reason":"BadDeviceToken"}"#), .rejected(token: .quarantine), "BadDeviceToken"),
            (
                .json(410, #"{"reason":"Unregistered","timestamp":1767323000123}"#),
                .unregistered(since: Timestamp(milliseconds: 1_767_323_000_123)), "Unregistered"
            ),
            (
                .json(429, #"{"reason":"TooManyRequests"}"#, headers: [("retry-after", "17")]),
                .retry(afterSeconds: 17, scope: .device), "TooManyRequests"
            ),
            (.json(403, #"{"reason":"InvalidProviderToken"}"#), .misconfigured, "InvalidProviderToken"),
            (
                HTTP2ServerResponse(status: 502, body: Array("<html>".utf8)),
                .retry(afterSeconds: nil, scope: .laneIfSeveral),
                nil
            ),
        ]
        let respond: TestServer.Responder = { _ in nil }
        try await Harness.run(respond: respond) { harness in
            let app = TestMessages.apns(key: key, port: harness.port)
            try await harness.lane(app, TestMessages.lane(.apns)) { provider, source in
                for (index, (sent, outcome, reason)) in table.enumerated() {
                    harness.application.setResponder { _ in sent }
                    source.add(badge: Int64(index))
                    provider.wake()
                    let response = await source.responses.next().response
                    #expect(response.outcome == outcome)
                    #expect(response.reason == reason)
                    #expect(response.status == sent.status)
                    #expect(response.badge == Int64(index))
                }
                // A silent push carries no badge, whatever the job has.
                source.add(message: TestMessages.message { $0.silent = true }, badge: 9)
                provider.wake()
                #expect(await source.responses.next().response.badge == nil)
            }
        }
    }

    @Test("pushes that the server certainly did not process are unsent; those it may have processed are unknown")
    func unprocessedAndUnknown() async throws {
        let respond: TestServer.Responder = { _ in nil }
        try await Harness.run(respond: respond) { harness in
            let app = TestMessages.apns(key: key, port: harness.port)
            try await harness.lane(app, TestMessages.lane(.apns)) { provider, source in
                source.add()
                provider.wake()
                let first = await harness.application.pushes.next()
                first.stream.connection.goAway(lastStreamID: 0, debugData: Array(#"{"reason":"Shutdown"}"#.utf8))
                let refused = await source.responses.next()
                #expect(refused.response.outcome == .notSent)
                #expect(refused.response.status == 0)
                #expect(refused.response.reason == "goaway")

                source.addAgain(refused.delivery)
                provider.wake()
                let second = await harness.application.pushes.next()
                #expect(second.stream.connection.id != first.stream.connection.id)
                second.stream.reset(.refusedStream)
                #expect(await source.responses.next().response.outcome == .notSent)

                source.addAgain(refused.delivery)
                provider.wake()
                let third = await harness.application.pushes.next()
                third.stream.connection.abort()
                let lost = await source.responses.next()
                #expect(lost.response.outcome == .unknown)
                #expect(lost.response.reason == "connection_lost")
            }
        }
    }

    @Test("a response that requires another connection opens a new one")
    func replaceConnection() async throws {
        let respond: TestServer.Responder = { _ in .json(503, #"{"reason":"Shutdown"}"#) }
        try await Harness.run(respond: respond) { harness in
            let app = TestMessages.apns(key: key, port: harness.port)
            try await harness.lane(app, TestMessages.lane(.apns)) { provider, source in
                source.add()
                provider.wake()
                #expect(await source.responses.next().response.outcome == .retry(afterSeconds: nil, scope: .device))
                let first = await harness.application.pushes.next().stream.connection.id
                #expect(await harness.application.closed.next() == first)
                harness.application.setResponder(HTTP2ServerResponse.apns)
                source.add()
                provider.wake()
                #expect(await source.responses.next().response.status == 200)
                #expect(await harness.application.pushes.next().stream.connection.id != first)
            }
        }
    }

    @Test("a connection to be replaced gets no more pushes")
    func blamedGetsNothing() async throws {
        let respond: TestServer.Responder = { request in
            request.stream.connection.id == 1 ? .json(400, #"{"reason":"IdleTimeout"}"#) : .apns(request)
        }
        try await Harness.run(respond: respond) { harness in
            let app = TestMessages.apns(key: key, port: harness.port)
            try await harness.lane(app, TestMessages.lane(.apns)) { provider, source in
                source.add(3)
                provider.wake()
                let responses = await source.responses.take(3).map(\.response)
                #expect(responses.map(\.status) == [400, 200, 200])
                #expect(responses[0].outcome == .retry(afterSeconds: 0, scope: .device))
                let connections = await harness.application.pushes.take(3).map(\.stream.connection.id)
                #expect(connections == [1, 2, 2])
            }
        }
    }

    @Test("pushes of a replaced connection are sent again at once, but not if the next is replaced soon after")
    func blamedTogether() async throws {
        let respond: TestServer.Responder = { _ in nil }
        try await Harness.run(respond: respond) { harness in
            let app = TestMessages.apns(key: key, port: harness.port)
            try await harness.lane(app, TestMessages.lane(.apns)) { provider, source in
                for after in [0, nil] as [Int64?] {
                    // The first response raises the limit of one stream.
                    source.add(4)
                    provider.wake()
                    let first = await harness.application.pushes.next()
                    first.stream.respond(.apns(first))
                    #expect(await source.responses.next().response.status == 200)
                    for push in await harness.application.pushes.take(3) {
                        push.stream.respond(.json(400, #"{"reason":"IdleTimeout"}"#))
                    }
                    let outcomes = await source.responses.take(3).map(\.response.outcome)
                    #expect(outcomes == Array(repeating: .retry(afterSeconds: after, scope: .device), count: 3))
                }
            }
        }
    }

    @Test("shutdown waits for responses until its limit, and every push gets a result")
    func shutdown() async throws {
        let respond: TestServer.Responder = { _ in nil }
        try await Harness.run(respond: respond) { harness in
            let app = TestMessages.apns(key: key, port: harness.port)
            let source = TestSource()
            let provider = try harness.factory.make(
                lane: TestMessages.lane(.apns),
                app: app,
                brand: TestMessages.brand,
                source: source
            )
            harness.application.setResponder(HTTP2ServerResponse.apns)
            source.add()
            provider.wake()
            _ = await source.responses.next()
            _ = await harness.application.pushes.next()
            harness.application.setResponder { _ in nil }
            source.add(2)
            provider.wake()
            let open = await harness.application.pushes.take(2)
            async let end: Void = provider.shutdown(within: .milliseconds(200))
            open[0].stream.respond(.apns(open[0]))
            await end
            let responses = source.responses.pending
            #expect(responses.count == 2)
            #expect(responses.contains { $0.response.status == 200 })
            #expect(responses.contains { $0.response.outcome == .unknown && $0.response.reason == "shutdown" })
            source.add()
            provider.wake()
            await provider.shutdown(within: .zero)
            #expect(source.waiting == 1)
        }
    }

    @Test("the source receives connecting and ready")
    func states() async throws {
        try await Harness.run(respond: HTTP2ServerResponse.apns) { harness in
            let app = TestMessages.apns(key: key, port: harness.port)
            try await harness.lane(app, TestMessages.lane(.apns)) { provider, source in
                provider.wake()
                #expect(await source.states.take(2) == [.connecting, .ready])
            }
        }
    }

    @Test("check reports that it works, or the error")
    func check() async throws {
        try await Harness.run(respond: HTTP2ServerResponse.apns) { harness in
            let app = TestMessages.apns(key: key, port: harness.port)
            try await harness.lane(app, TestMessages.lane(.apns)) { provider, _ in
                let verdict = await provider.check()
                #expect(verdict.isUsable)
                #expect(verdict.text.contains("connected to localhost:\(harness.port)"))
            }
            await harness.server.shutdown()
            try await harness.lane(app, TestMessages.lane(.apns)) { provider, source in
                let verdict = await provider.check()
                #expect(!verdict.isUsable)
                #expect(verdict.text.contains("localhost:\(harness.port)"))
                #expect(verdict.text.contains("cannot connect"))
                let state = await source.states.first { if case .failed = $0 { true } else { false } }
                #expect(state == .failed(.unreachable, reason: verdict.text))
            }
            #expect(harness.application.pushes.pending.isEmpty)
        }
    }

    @Test("a certificate of another host, or of an untrusted root, is rejected", arguments: [true, false])
    func certificates(isOtherHost: Bool) async throws {
        try await Harness.run(
            certificate: isOtherHost ? TestCertificates.other : TestCertificates.leaf,
            trust: isOtherHost ? TestCertificates.root : TestCertificates.leaf,
            respond: HTTP2ServerResponse.apns
        ) { harness in
            let app = TestMessages.apns(key: key, port: harness.port)
            try await harness.lane(app, TestMessages.lane(.apns)) { provider, source in
                source.add()
                let verdict = await provider.check()
                #expect(!verdict.isUsable)
                #expect(verdict.text.contains("certificate rejected"))
                #expect(source.waiting == 1)
            }
        }
    }
}
