import Cryptography
import Foundation
import GatewayModel
import HTTP2Connections
import PushProviders
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct FCMProviderTests {
    /// A server that grants tokens `t1`, `t2` and so on, and accepts every push.
    private final class Google: Sendable {
        private let count = Counter()

        func respond(_ request: HTTP2ServerRequest) -> HTTP2ServerResponse? {
            request.path == "/token" ? grant() : .fcm
        }

        func grant() -> HTTP2ServerResponse {
            .grant("t\(count.next())")
        }
    }

    @Test("a push is sent with a token that was exchanged for a verified assertion")
    func push() async throws {
        let google = Google()
        try await Harness.run(respond: google.respond) { harness in
            try await harness.lane(TestMessages.fcm(port: harness.port), TestMessages.lane(.fcm)) { provider, source in
                source.add()
                provider.wake()
                let grant = await harness.application.grants.next()
                #expect(grant.method == "POST")
                #expect(grant["content-type"] == "application/x-www-form-urlencoded")
                let form = String(decoding: grant.body, as: UTF8.self)
                let parts = form.split(separator: "&")
                #expect(parts.first == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer")
                let token = try Compact(try #require(parts.last).dropFirst("assertion=".count))
                #expect(token.header == ["alg": "RS256", "typ": "JWT", "kid": "kid-1"])
                #expect(
                    token.claims == [
                        "iss": "push@proj-1.iam.gserviceaccount.com",
                        "scope": "https://www.googleapis.com/auth/firebase.messaging",
                        "aud": "https://localhost:\(harness.port)/token",
                        "iat": TestMessages.now.seconds, "exp": TestMessages.now.seconds + 3600,
                    ]
                )
                let key = try RSA.PrivateKey(pemRepresentation: TestCertificates.rsaKey).publicKey
                #expect(key.isValidSignature(Array(token.signature), for: token.input, padding: .pkcs1))

                let request = await harness.application.pushes.next()
                #expect(request.path == "/v1/projects/proj-1/messages:send")
                #expect(request["authorization"] == "Bearer t1")
                #expect(request["content-type"] == "application/json")
                let response = await source.responses.next().response
                #expect(response.outcome == .accepted(providerID: "projects/proj-1/messages/0:1"))
                #expect(response.badge == 3)
            }
        }
    }

    @Test("without a token nothing is pulled; one fetch serves all lanes, which wake automatically")
    func singleFlight() async throws {
        let google = Google()
        let respond: TestServer.Responder = { request in request.path == "/token" ? nil : .fcm }
        try await Harness.run(respond: respond) { harness in
            let app = TestMessages.fcm(port: harness.port)
            let first = TestSource()
            let second = TestSource()
            try await harness.lane(app, TestMessages.lane(.fcm), source: first) { one, _ in
                try await harness.lane(app, TestMessages.lane(.fcm), source: second) { two, _ in
                    first.add(20)
                    second.add(20)
                    one.wake()
                    two.wake()
                    let grant = await harness.application.grants.next()
                    // Both are connected, and still nothing was sent.
                    while harness.server.openConnections.count < 3 { await Task.yield() }
                    #expect(first.waiting == 20)
                    #expect(second.waiting == 20)
                    grant.stream.respond(google.grant())
                    #expect(await first.responses.take(20).allSatisfy { $0.response.status == 200 })
                    #expect(await second.responses.take(20).allSatisfy { $0.response.status == 200 })
                    #expect(harness.application.grants.pending.isEmpty)
                    let tokens = await harness.application.pushes.take(40).map { $0["authorization"] }
                    #expect(Set(tokens) == ["Bearer t1"])
                }
            }
        }
    }

    @Test("a token is renewed five minutes early, and is used until the new one arrives")
    func refresh() async throws {
        let google = Google()
        try await Harness.run(respond: google.respond) { harness in
            try await harness.lane(TestMessages.fcm(port: harness.port), TestMessages.lane(.fcm)) { provider, source in
                func push() async -> String? {
                    source.add()
                    provider.wake()
                    _ = await source.responses.next()
                    return await harness.application.pushes.next()["authorization"]
                }
                #expect(await push() == "Bearer t1")
                _ = await harness.application.grants.next()
                harness.clock.advance(seconds: 3299)
                #expect(await push() == "Bearer t1")
                #expect(harness.application.grants.pending.isEmpty)

                harness.application.setResponder { request in request.path == "/token" ? nil : .fcm }
                harness.clock.advance(seconds: 2)
                #expect(await push() == "Bearer t1")
                let grant = await harness.application.grants.next()
                #expect(await push() == "Bearer t1")
                #expect(harness.application.grants.pending.isEmpty)
                grant.stream.respond(google.grant())
                // The provider wakes automatically once the new token arrives; a push shows which one it uses.
                var token = await push()
                while token == "Bearer t1" { token = await push() }
                #expect(token == "Bearer t2")
            }
        }
    }

    @Test("a rejected service account is reported without secrets and retried automatically")
    func refusedAccount() async throws {
        let google = Google()
        let rejections = Counter()
        let respond: TestServer.Responder = { request in
            guard request.path == "/token" else { return .fcm }
            let count = rejections.next()
            return count <= 3
                ? .json(400, #"{"error":"invalid_grant","error_description":"secret detail"}"#) : google.grant()
        }
        try await Harness.run(respond: respond) { harness in
            try await harness.lane(TestMessages.fcm(port: harness.port), TestMessages.lane(.fcm)) { provider, source in
                source.add()
                provider.wake()
                let failed = await source.states.first { if case .failed = $0 { true } else { false } }
                guard case .failed(_, let reason) = failed else { return }
                #expect(reason.contains("invalid_grant"))
                #expect(reason.contains("clock"))
                #expect(!reason.contains("secret"))
                // Without a wake of the test: the retries and the push happen automatically.
                #expect(await source.responses.next().response.status == 200)
                #expect(await harness.application.grants.take(4).count == 4)
                // Three equal rejections are reported once.
                var state = await source.states.next()
                while state != .ready {
                    #expect(state == .connecting)
                    state = await source.states.next()
                }
            }
        }
    }

    @Test(
        "a token endpoint may respond with anything",
        arguments: [
            (HTTP2ServerResponse(status: 502, body: Array("<html>".utf8)), "responded 502"),
            (.json(200, #"{"token_type":"Bearer"}"#), "without an access token"),
            (.json(200, "{\"access_token\":\"a\\r\\nb\"}"), "without an access token"),
            (.json(401, #"{"error":"invalid_client"}"#), "invalid_client"),
            (.json(400, #"{"error":"<script>"}"#), "responded 400"),
        ] as [(HTTP2ServerResponse, String)]
    )
    func unexpectedResponses(response: HTTP2ServerResponse, text: String) async throws {
        let respond: TestServer.Responder = { _ in response }
        try await Harness.run(respond: respond) { harness in
            try await harness.lane(TestMessages.fcm(port: harness.port), TestMessages.lane(.fcm)) { provider, source in
                source.add()
                let verdict = await provider.check()
                #expect(!verdict.isUsable)
                #expect(verdict.text.contains(text))
                #expect(source.waiting == 1)
            }
        }
    }

    @Test("401 causes one new token for all failed pushes; 401 again is a configuration error and fetches no third")
    func unauthenticated() async throws {
        let google = Google()
        let respond: TestServer.Responder = { request in
            if request.path == "/token" { return google.grant() }
            return request["authorization"] == "Bearer t1"
                ? .json(401, #"{"error":{"code":401,"status":"UNAUTHENTICATED"}}"#) : .fcm
        }
        try await Harness.run(respond: respond) { harness in
            try await harness.lane(TestMessages.fcm(port: harness.port), TestMessages.lane(.fcm)) { provider, source in
                source.add(3)
                provider.wake()
                for result in await source.responses.take(3) {
                    #expect(result.response.outcome == .retry(afterSeconds: 0, scope: .device))
                    source.addAgain(result.delivery)
                }
                provider.wake()
                #expect(await source.responses.take(3).allSatisfy { $0.response.status == 200 })
                #expect(await harness.application.grants.take(2).count == 2)
                harness.application.setResponder { request in
                    request.path == "/token"
                        ? google.grant() : .json(401, #"{"error":{"code":401,"status":"UNAUTHENTICATED"}}"#)
                }
                source.add()
                provider.wake()
                #expect(await source.responses.next().response.outcome == .misconfigured)
                #expect(harness.application.grants.pending.isEmpty)
            }
        }
    }

    @Test("a wrong APNs key in the Firebase project does not invalidate our token")
    func thirdParty() async throws {
        let google = Google()
        let body = #"""
            {"error":{"code":401,"status":"UNAUTHENTICATED","details":[
            {"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"THIRD_PARTY_AUTH_ERROR"}]}}
            """#
        let respond: TestServer.Responder = { request in request.path == "/token" ? google.grant() : .json(401, body) }
        try await Harness.run(respond: respond) { harness in
            try await harness.lane(TestMessages.fcm(port: harness.port), TestMessages.lane(.fcm)) { provider, source in
                source.add(2)
                provider.wake()
                let responses = await source.responses.take(2).map(\.response)
                #expect(
                    responses.allSatisfy {
                        $0.outcome == .platformMisconfigured && $0.reason == "THIRD_PARTY_AUTH_ERROR"
                    }
                )
                #expect(await harness.application.grants.next().path == "/token")
                #expect(harness.application.grants.pending.isEmpty)
            }
        }
    }

    @Test("check connects and fetches a token without sending")
    func check() async throws {
        try await Harness.run(respond: Google().respond) { harness in
            try await harness.lane(TestMessages.fcm(port: harness.port), TestMessages.lane(.fcm)) { provider, _ in
                let verdict = await provider.check()
                #expect(verdict.isUsable)
                #expect(verdict.text.contains("access token"))
                #expect(harness.application.pushes.pending.isEmpty)
            }
        }
    }

    @Test("shutdown while a token is being fetched completes a waiting check and leaves the pushes in the source")
    func shutdown() async throws {
        let respond: TestServer.Responder = { request in request.path == "/token" ? nil : .fcm }
        try await Harness.run(respond: respond) { harness in
            let source = TestSource()
            let provider = try harness.factory.make(
                lane: TestMessages.lane(.fcm),
                app: TestMessages.fcm(port: harness.port),
                brand: TestMessages.brand,
                source: source
            )
            source.add()
            async let verdict = provider.check()
            _ = await harness.application.grants.next()
            await provider.shutdown(within: .zero)
            #expect(await !verdict.isUsable)
            #expect(source.waiting == 1)
            #expect(source.responses.pending.isEmpty)
        }
    }
}
