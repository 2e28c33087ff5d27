import Foundation
import Testing

@testable import SwitchboardClient

@Suite("Authentication", .timeLimit(.minutes(15)))
struct AuthenticationTests {
    @Test("R55 trap 3: an expired assertion is one event `token expired`, and R56 reconnect clears it")
    func expired() async throws {
        let fixture = Fixture()
        let recorder = await Recorder(fixture.client)
        let old = FakeGateway.jwt("u-1", "old")
        fixture.gateway.expire(assertion: old)
        try await fixture.client.initialize(.parameters(.init(jwt: old)))
        #expect(await failure { _ = try await fixture.client.unreadCount() }?.code == .tokenExpired)
        // Until there is a fresh credential nothing is sent.
        #expect(await failure { try await fixture.client.registerPush(Fixture.push) } == nil)
        #expect(await failure { _ = try await fixture.client.messages() }?.code == .tokenExpired)
        #expect(fixture.gateway.routes == ["POST sessions"])
        try await fixture.client.reconnect(.init(jwt: FakeGateway.jwt("u-1", "new")))
        await fixture.client.finishPendingWork()
        #expect(fixture.gateway.devices.values.map(\.consumer) == ["u-1"])
        #expect(
            await recorder.all == [.tokenExpired, .connectionChanged(isReady: true), .registrationFinished]
        )
    }

    @Test("R55: a rejected assertion is the event of the platform, and never `token expired` too")
    func rejected() async throws {
        for profile in [PlatformProfile.ios, .android] {
            let fixture = Fixture(profile: profile)
            let recorder = await Recorder(fixture.client)
            try await fixture.client.initialize(.parameters(.init(jwt: "x.y.z")))
            let error = try #require(await failure { _ = try await fixture.client.unreadCount() })
            #expect(error.code == .authenticationFailed)
            #expect(error.reason == "bad_signature")
            _ = await failure { _ = try await fixture.client.messages() }
            let expected: ClientEvent =
                profile == .ios ? .authenticationFailed(error) : .error(.identityProvider, error)
            #expect(await recorder.all.filter { $0 == expected }.count == 1)
            #expect(await recorder.all.contains(.tokenExpired) == false)
        }
    }

    @Test("R57: authentication fails long after the login: the session's token is renewed with the assertion once")
    func later() async throws {
        let fixture = Fixture()
        let recorder = await Recorder(fixture.client)
        let token = FakeGateway.jwt("u-1")
        try await fixture.client.initialize(.parameters(.init(jwt: token)))
        _ = try await fixture.client.messages()
        fixture.gateway.expireSessions()
        _ = try await fixture.client.messages()
        fixture.gateway.expireSessions()
        fixture.gateway.expire(assertion: token)
        #expect(await failure { try await fixture.client.registerPush(Fixture.push) }?.code == .tokenExpired)
        #expect(await recorder.all.filter { $0 == .tokenExpired }.count == 1)
        #expect(fixture.clock.sleeps.isEmpty)
    }

    @Test("R57: a deferred registration that fails after a login is not sent again by itself")
    func noLoop() async throws {
        let fixture = Fixture()
        try await fixture.client.initialize(.none)
        #expect(try await fixture.client.registerPush(Fixture.push) == .deferred)
        fixture.gateway.fail("PUT device", .problem(403, "forbidden"), times: 5)
        try await fixture.client.reconnect(.init(jwt: FakeGateway.jwt("u-1")))
        await fixture.client.finishPendingWork()
        _ = try await fixture.client.messages()
        #expect(fixture.gateway.calls("PUT device").count == 1)
    }

    @Test("R56: calls that wait for a credential continue with the one of a reconnect")
    func waiting() async throws {
        let fixture = Fixture()
        let client = fixture.client
        let delegate = AuthorizationDelegateTests.Delegate()
        await client.setAuthorizationDelegate(delegate)
        try await client.initialize(.delegate)
        let call = Task { try await client.messages().count }
        await fixture.clock.waitForSleepers(1)
        try await client.reconnect(.init(jwt: FakeGateway.jwt("u-1")))
        #expect(try await call.value == 1)
        fixture.clock.advance(by: .seconds(30))
        _ = try await client.messages()
        #expect(fixture.gateway.routes == ["POST sessions", "GET messages", "GET messages"])
    }

    @Test("R56: a login whose credential is replaced before it begins does not use up the code of the next one")
    func replacedEarly() async throws {
        let fixture = Fixture()
        try await fixture.client.initialize(.parameters(.init(jwt: FakeGateway.jwt("u-1"))))
        await fixture.client.beginLogin(thenReplaceBy: .init(code: "c-1", redirectURI: "app://back"))
        _ = try await fixture.client.messages()
        #expect(fixture.gateway.calls("POST sessions").map { $0.body["grant"]?.text } == ["code"])
    }

    @Test("R58 R59 trap 32: PKCE parameters survive a restart, are used once, and end with a logout")
    func pkce() async throws {
        let fixture = Fixture()
        try await fixture.client.initialize(.none)
        let first = try await fixture.client.getPkceParams(accountID: "acme")
        #expect(first.codeChallengeMethod == "S256")
        #expect((43...128).contains(first.codeVerifier.utf8.count))
        #expect(first.codeVerifier.range(of: "^[A-Za-z0-9._~-]+$", options: .regularExpression) != nil)
        let restarted = fixture.restarted()
        try await restarted.client.initialize(.none)
        #expect(try await restarted.client.getPkceParams(accountID: "acme") == first)
        try await restarted.client.reconnect(.init(code: "c-1", redirectURI: "app://back"))
        let body = try #require(fixture.gateway.calls("POST sessions").last?.body)
        #expect(body["codeVerifier"]?.text == first.codeVerifier)
        #expect(body["redirectUri"]?.text == "app://back")
        let second = try await restarted.client.getPkceParams(accountID: "acme")
        #expect(second != first)
        try await restarted.client.logout()
        #expect(!restarted.storage.text.contains(second.codeVerifier))
    }

    @Test("R58: without a verifier that of the only account is used; of several accounts none is guessed")
    func severalAccounts() async throws {
        let fixture = Fixture()
        try await fixture.client.initialize(.none)
        let first = try await fixture.client.getPkceParams(accountID: "a")
        let second = try await fixture.client.getPkceParams(accountID: "b")
        let codes: [(String, String?)] = [("c-1", nil), ("c-1b", first.codeVerifier), ("c-1c", nil)]
        for (code, verifier) in codes {
            try await fixture.client.reconnect(.init(code: code, redirectURI: "app://back", codeVerifier: verifier))
        }
        let sent = fixture.gateway.calls("POST sessions").map { $0.body["codeVerifier"]?.text }
        #expect(sent == [nil, first.codeVerifier, second.codeVerifier])
    }

    @Test("R58: parameters that cannot be kept are not given out")
    func pkceStorage() async throws {
        let fixture = Fixture()
        try await fixture.client.initialize(.none)
        fixture.storage.fill()
        #expect(await failure { _ = try await fixture.client.getPkceParams(accountID: "acme") }?.code == .storage)
        fixture.storage.fill(false)
        for number in 0..<StoredUser.maxPkce { _ = try await fixture.client.getPkceParams(accountID: "a\(number)") }
        #expect(await failure { _ = try await fixture.client.getPkceParams(accountID: "z") }?.code == .tooManyCalls)
    }

    @Test("R59: the challenge is that of RFC 7636, appendix B")
    func challenge() {
        let parameters = PkceParameters(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(parameters.codeChallenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test(
        "SHA-256 of the examples of FIPS 180",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (String(repeating: "a", count: 55), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
            (String(repeating: "a", count: 64), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
        ]
    )
    func digest(text: String, digest: String) {
        let bytes = SHA256Hash.hash(Array(text.utf8))
        #expect(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == digest)
    }

    @Test("R61: the issuer's display name goes with the credential")
    func issuer() async throws {
        let fixture = Fixture()
        let parameters = AuthenticationParameters(jwt: FakeGateway.jwt("u-1"), issuerDisplayName: "Bank")
        try await fixture.client.initialize(.parameters(parameters))
        _ = try await fixture.client.unreadCount()
        #expect(fixture.gateway.calls.first?.body["issuer"]?.text == "Bank")
    }

    @Test("R62 R64 trap 12: registering with a code and then counting unread redeems one code")
    func oneCode() async throws {
        let fixture = Fixture()
        try await fixture.client.initialize(.none)
        let first = AuthenticationParameters(code: "c-1", redirectURI: "app://back", codeVerifier: "v")
        try await fixture.client.registerPush(Fixture.push, authentication: first)
        _ = try await fixture.client.unreadCount()
        _ = try await fixture.client.unreadCount(authentication: .init(code: "c-2", redirectURI: "app://back"))
        #expect(fixture.gateway.routes == ["POST sessions", "PUT device", "GET unread"])
    }

    @Test("R64: unread fails with neither parameters nor credentials")
    func noCredentials() async throws {
        let fixture = Fixture()
        try await fixture.client.initialize(.none)
        #expect(await failure { _ = try await fixture.client.unreadCount() }?.code == .unauthorized)
        #expect(fixture.gateway.routes.isEmpty)
        let parameters = AuthenticationParameters(jwt: FakeGateway.jwt("u-1"))
        #expect(try await fixture.client.unreadCount(authentication: parameters) == 0)
    }

    @Test(
        "trap 12: a code whose response was lost is never sent again; a fresh one is asked for",
        arguments: [FakeGateway.Fault.drop, .dropResponse, .problem(503, "overloaded"), .garbage(200)]
    )
    func lostCode(fault: FakeGateway.Fault) async throws {
        let fixture = Fixture()
        let recorder = await Recorder(fixture.client)
        try await fixture.client.initialize(.none)
        fixture.gateway.fail("POST sessions", fault)
        let error = await failure {
            try await fixture.client.reconnect(.init(code: "c-1", redirectURI: "app://back"))
        }
        #expect(error?.code == .tokenExpired)
        #expect(await failure { _ = try await fixture.client.unreadCount() }?.code == .tokenExpired)
        #expect(fixture.gateway.routes == ["POST sessions"])
        #expect(await recorder.all == [.tokenExpired])
        try await fixture.client.reconnect(.init(code: "c-2", redirectURI: "app://back"))
        #expect(try await fixture.client.unreadCount() == 0)
    }

    @Test("R56 R63: after a code's session has expired only a fresh code continues")
    func codeExpired() async throws {
        let fixture = Fixture()
        let recorder = await Recorder(fixture.client)
        try await fixture.client.initialize(.parameters(.init(code: "c-1", redirectURI: "app://back")))
        _ = try await fixture.client.unreadCount()
        fixture.gateway.expireSessions()
        #expect(await failure { _ = try await fixture.client.messages() }?.code == .tokenExpired)
        #expect(await failure { _ = try await fixture.client.messages() }?.code == .tokenExpired)
        #expect(fixture.gateway.calls("POST sessions").count == 1)
        try await fixture.client.reconnect(.init(code: "c-2", redirectURI: "app://back"))
        _ = try await fixture.client.messages()
        #expect(await recorder.all.filter { $0 == .tokenExpired }.count == 1)
    }

    @Test("R56: a code's session that expires by its own time needs a fresh code too")
    func codeTime() async throws {
        let fixture = Fixture()
        fixture.gateway.setLifetime(60)
        try await fixture.client.initialize(.parameters(.init(code: "c-1", redirectURI: "app://back")))
        _ = try await fixture.client.messages()
        fixture.clock.advance(by: .seconds(61))
        #expect(await failure { _ = try await fixture.client.messages() }?.code == .tokenExpired)
        #expect(fixture.gateway.calls("POST sessions").count == 1)
    }

    @Test("R79 R71: another consumer behind a fresh credential gets nothing of the first; the device moves")
    func otherConsumer() async throws {
        let fixture = Fixture()
        let recorder = await Recorder(fixture.client)
        let screen = Screen()
        await fixture.client.setPresenter(screen)
        try await fixture.client.initialize(.parameters(.init(code: "one", redirectURI: "app://back")))
        fixture.gateway.setUnread(9, for: "of-one")
        try await fixture.client.registerPush(Fixture.push)
        #expect(try await fixture.client.unreadCount() == 9)
        _ = try await fixture.client.getPkceParams(accountID: "account-of-one")
        try await fixture.client.reconnect(.init(code: "two", redirectURI: "app://back"))
        await fixture.client.finishPendingWork()
        #expect(await fixture.client.lastUnreadCount == nil)
        #expect(try await fixture.client.unreadCount() == 0)
        #expect(fixture.gateway.devices.values.map(\.consumer) == ["of-two"])
        #expect(!fixture.storage.text.contains("of-one"))
        #expect(await recorder.all.filter { $0 == .consumerChanged }.count == 1)
        #expect(screen.calls.contains("withdraw all"))
    }

    @Test("R85: a session that was ended remotely wipes the device and is one event")
    func remote() async throws {
        let fixture = Fixture()
        let recorder = await Recorder(fixture.client)
        try await fixture.loginCopilot()
        _ = try await fixture.client.unreadCount()
        fixture.gateway.revokeSessions()
        #expect(await failure { _ = try await fixture.client.messages() }?.code == .sessionEnded)
        #expect(
            await recorder.untilEnd.suffix(2) == [.connectionChanged(isReady: false), .sessionEnded(.remote)]
        )
        #expect(!fixture.storage.text.contains("u-1"))
        #expect(await failure { _ = try await fixture.client.messages() }?.code == .notInitialized)
    }
}

extension SwitchboardClient {
    /// Begins a login, and replaces its credential before the task of the login runs.
    fileprivate func beginLogin(thenReplaceBy next: AuthenticationParameters) {
        perform(tokens.need(nextNumber(), at: clock.uptime))
        adopt(.parameters(next))
    }
}
