import Foundation
import InMemoryLogging
import Logging
import Testing

@testable import SwitchboardClient

@Suite("A gateway that goes away", .timeLimit(.minutes(10)))
struct GatewayAwayTests {
    /// The logins of the flow; each names its user in everything that is stored.
    enum Login: CaseIterable, Sendable {
        case assertion, code, copilot, signed, anonymous

        func authentication(_ user: String) -> Authentication {
            switch self {
            case .assertion: .parameters(.init(jwt: FakeGateway.jwt(user)))
            case .code: .parameters(.init(code: user + "-code", redirectURI: "app://back"))
            case .copilot: .copilot(userID: user)
            case .signed: .signedPayload(sdkKeyName: "key", payload: ["user": .string(user)])
            case .anonymous: .anonymous
            }
        }
    }

    private static let faults: [FakeGateway.Fault] = [
        .drop, .dropResponse, .problem(500, "internal"), .problem(503, "overloaded", retryAfter: 1),
        .problem(401, "token_expired"), .problem(401, "token_invalid", reason: "revoked"),
        .problem(401, "token_invalid", reason: "bad_signature"), .problem(403, "forbidden"), .garbage(200),
        .garbage(401), .empty(200),
    ]

    /// Runs everything that a user does; returns the errors.
    private func use(_ client: SwitchboardClient, _ login: Login, _ user: String) async -> [SwitchboardError] {
        var errors: [SwitchboardError?] = []
        errors.append(await failure { try await client.initialize(login.authentication(user)) })
        errors.append(await failure { try await client.registerPush(.fcm("push-of-" + user)) })
        errors.append(await failure { _ = try await client.unreadCount() })
        let push = PushPayload(data: [
            "brandId": "acme", "messageId": "message-of-" + user, "conversationId": "chat-of-" + user, "sequence": "1",
            "badge": "7", "text": "text-of-" + user,
        ])
        await client.handlePush(push, showNotification: true)
        await client.finishPendingWork()
        errors.append(await failure { try await client.setPushNotificationTapped("message-of-" + user) })
        errors.append(await failure { _ = try await client.messages(conversationID: "chat-of-" + user) })
        errors.append(await failure { try await client.markRead(conversationID: "chat-of-" + user, upToSequence: 1) })
        errors.append(await failure { _ = try await client.getPkceParams(accountID: "account-of-" + user) })
        errors.append(await failure { _ = try await client.isRegistered() })
        return errors.compactMap { $0 }
    }

    @Test(
        "R68 R79 R187: in each step of each login: errors of the contract, nothing for the next user, no secret in a log",
        arguments: Login.allCases
    )
    func eachStep(login: Login) async throws {
        let whole = Fixture(clock: TestClock { $0 != .seconds(30) })
        await prepare(whole)
        #expect(await use(whole.client, login, "first").isEmpty)
        try await whole.client.logout()
        let count = whole.gateway.routes.count
        #expect(count >= 8)
        var lines = 0
        for fault in Self.faults {
            for number in 0..<count {
                let log = InMemoryLogHandler()
                let logger = Logger(label: "test") { _ in
                    var log = log
                    log.logLevel = .trace
                    return log
                }
                let fixture = Fixture(clock: TestClock { $0 != .seconds(30) }, logger: logger) {
                    $0.retry.unread = RetryPolicy(delays: [.seconds(1)])
                    $0.retry.registration = $0.retry.unread
                    $0.retry.messages = .none
                    $0.retry.logout = $0.retry.unread
                }
                await prepare(fixture)
                fixture.gateway.failAll(from: number, fault)
                var errors = await use(fixture.client, login, "first")
                if let error = await failure({ try await fixture.client.logout() }) {
                    errors.append(error)
                    if let error = await failure({ try await fixture.client.logout(isForced: true) }) {
                        Issue.record("the forced logout failed: \(error)")
                    }
                }
                lines += log.entries.count
                let written = log.entries.map { "\($0.message) \($0.metadata)" } + errors.map { "\($0)" }
                for secret in ["session-", "push-of-", "eyJ", "first-code", "text-of-"] {
                    #expect(!written.contains { $0.contains(secret) })
                }
                #expect(!fixture.storage.text.contains("first"))
                fixture.gateway.heal()
                #expect(await use(fixture.client, login, "second").isEmpty)
                #expect(await fixture.client.lastUnreadCount == 0)
                #expect(!fixture.storage.text.contains("first"))
            }
        }
        #expect(lines > 0)
    }

    private func prepare(_ fixture: Fixture) async {
        let gateway = fixture.gateway
        await fixture.client.setCopilotTokenProvider(CountingProvider(gateway: gateway))
        await fixture.client.setPayloadSigner(
            Signer { payload, success, _ in success("signed:" + (payload["user"]?.text ?? "")) }
        )
    }

    @Test("R187: what an app may print of the library's values holds no secret")
    func descriptions() throws {
        let url = try #require(URL(string: "https://gateway.example/v1"))
        let values: [Any] = [
            AuthenticationParameters(jwt: "secret"),
            AuthenticationParameters(code: "secret", redirectURI: "app://back", codeVerifier: "secret"),
            Authentication.parameters(.init(jwt: "secret")), PkceParameters(verifier: "secret"),
            InteractionAuthorization.accessToken("secret"), PushToken.fcm("secret"),
            HTTPRequest(method: "PUT", url: url, body: Data("secret".utf8)).authorized(by: "secret"),
        ]
        for value in values {
            #expect(!"\(value)".contains("secret"))
            #expect(!String(reflecting: value).contains("secret"))
            #expect(!"\([value])".contains("secret"))
        }
    }

    @Test("a transport that never responds ends with the logout, and the next user works")
    func hangs() async throws {
        let fixture = Fixture()
        try await fixture.loginCopilot("first")
        fixture.gateway.fail("GET messages", .hang, times: 1)
        let client = fixture.client
        let call = Task { await failure { _ = try await client.messages() } }
        while fixture.gateway.calls("GET messages").isEmpty { await Task.yield() }
        try await client.logout(isForced: true)
        call.cancel()
        #expect([.sessionEnded, .cancelled].contains(await call.value?.code))
        try await client.initialize(.copilot(userID: "second"))
        _ = try await client.messages()
    }
}
