import Foundation
import Testing

@testable import SwitchboardClient

@Suite("Authorization delegate", .timeLimit(.minutes(15)))
struct AuthorizationDelegateTests {
    /// A delegate that counts, and may respond at once.
    final class Delegate: AuthorizationDelegate {
        private let calls = Locked(0)
        private let response: (@Sendable () -> Void)?

        init(_ response: (@Sendable () -> Void)? = nil) { self.response = response }
        var count: Int { calls.withLock { $0 } }
        func shouldAuthorize() {
            calls.withLock { $0 += 1 }
            response?()
        }
    }

    @Test("R172 R173 R177: interactions at once cause one request, and a token continues all of them")
    func authorize() async throws {
        let fixture = Fixture()
        let client = fixture.client
        let token = fixture.gateway.mint("u-1")
        let delegate = Delegate { Task { await client.authorize(with: .accessToken(token)) } }
        await client.setAuthorizationDelegate(delegate)
        try await client.initialize(.delegate)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { _ = try await client.messages() } }
            try await group.waitForAll()
        }
        #expect(delegate.count == 1)
        _ = try await client.messages()
        #expect(delegate.count == 1)
        #expect(!fixture.storage.text.contains(token))
    }

    @Test("R172: an expired authorization is asked for again")
    func expired() async throws {
        let fixture = Fixture()
        let client = fixture.client
        let gateway = fixture.gateway
        let delegate = Delegate { Task { await client.authorize(with: .accessToken(gateway.mint("u-1"))) } }
        await client.setAuthorizationDelegate(delegate)
        try await client.initialize(.delegate)
        _ = try await client.messages()
        gateway.expireSessions()
        _ = try await client.messages()
        #expect(delegate.count == 2)
    }

    @Test("R173: a denial fails the interaction with its reason")
    func denied() async throws {
        let fixture = Fixture()
        let client = fixture.client
        let delegate = Delegate { Task { await client.authorize(with: .notAuthorized(reason: "closed account")) } }
        await client.setAuthorizationDelegate(delegate)
        try await client.initialize(.delegate)
        let error = await failure { try await client.startInteraction() }
        #expect(error?.code == .notAuthorized)
        #expect(error?.reason == "closed account")
        #expect(fixture.gateway.routes.isEmpty)
    }

    @Test("R174 R175 trap 25: the 30 s begin with the request; a late token serves the next interaction only")
    func late() async throws {
        let fixture = Fixture()
        let client = fixture.client
        let delegate = Delegate()
        await client.setAuthorizationDelegate(delegate)
        try await client.initialize(.delegate)
        let interaction = Task { await failure { try await client.startInteraction() } }
        await fixture.clock.waitForSleepers(1)
        fixture.clock.advance(by: .seconds(29))
        fixture.clock.advance(by: .seconds(1))
        #expect(await interaction.value?.code == .authorizationTimeout)
        await client.authorize(with: .accessToken(fixture.gateway.mint("u-1")))
        _ = try await client.messages()
        #expect(delegate.count == 1)
    }

    @Test("R174: the timeout is a setting")
    func setting() async throws {
        let fixture = Fixture { $0.authorizationTimeoutSeconds = 20 }
        let client = fixture.client
        let delegate = Delegate()
        await client.setAuthorizationDelegate(delegate)
        try await client.initialize(.delegate)
        let interaction = Task { await failure { try await client.startInteraction() } }
        await fixture.clock.waitForSleepers(1)
        #expect(fixture.clock.sleeps == [.seconds(20)])
        fixture.clock.advance(by: .seconds(20))
        #expect(await interaction.value?.code == .authorizationTimeout)
    }

    @Test("trap 25: an authorization before any request is legal; a denial then is ignored")
    func early() async throws {
        let fixture = Fixture()
        let client = fixture.client
        try await client.initialize(.delegate)
        await client.authorize(with: .notAuthorized(reason: "too early"))
        await client.authorize(with: .accessToken(fixture.gateway.mint("u-1")))
        try await client.startInteraction()
        _ = try await client.messages()
    }

    @Test("R176: without a delegate an interaction is unauthorized at once")
    func missing() async throws {
        let fixture = Fixture()
        try await fixture.client.initialize(.delegate)
        #expect(await failure { try await fixture.client.startInteraction() }?.code == .unauthorized)
        #expect(fixture.clock.sleeps.isEmpty)
    }

    @Test(
        "trap 24: a token is accepted as text with 200 and as JSON with 201; everything else is a denial",
        arguments: [
            (200, "ey.raw.token\n", InteractionAuthorization.accessToken("ey.raw.token")),
            (201, #"{"auth_token":"ey.j"}"#, .accessToken("ey.j")),
            (200, #"{"auth_token":"ey.j"}"#, .accessToken("ey.j")),
            (200, "", .notAuthorized(reason: "the back-end responded 200")),
            (200, "<html> no </html>", .notAuthorized(reason: "the back-end responded 200")),
            (201, "ey.raw", .notAuthorized(reason: "the back-end responded 201")),
            (403, #"{"reason":"closed account"}"#, .notAuthorized(reason: "closed account")),
            (404, #"{"error":"no such app"}"#, .notAuthorized(reason: "no such app")),
            (502, "", .notAuthorized(reason: "the back-end responded 502")),
        ]
    )
    func response(status: Int, body: String, expected: InteractionAuthorization) {
        #expect(InteractionAuthorization.response(status: status, body: Data(body.utf8)) == expected)
    }

    @Test("trap 2: no lifetime is assumed: a token of the app is used until it is rejected")
    func lifetime() async throws {
        let fixture = Fixture()
        let client = fixture.client
        try await client.initialize(.delegate)
        await client.authorize(with: .accessToken(fixture.gateway.mint("u-1")))
        _ = try await client.messages()
        fixture.clock.advance(by: .seconds(100_000))
        _ = try await client.messages()
        #expect(fixture.gateway.calls("GET messages").count == 2)
    }

    @Test("a logout ends an interaction that waits; the late token is not the next user's")
    func logout() async throws {
        let fixture = Fixture()
        let client = fixture.client
        let delegate = Delegate()
        await client.setAuthorizationDelegate(delegate)
        try await client.initialize(.delegate)
        let interaction = Task { await failure { try await client.startInteraction() } }
        await fixture.clock.waitForSleepers(1)
        try await client.logout()
        #expect(await interaction.value?.code == .sessionEnded)
        await client.authorize(with: .accessToken(fixture.gateway.mint("first")))
        try await client.initialize(.none)
        #expect(await failure { _ = try await client.messages() }?.code == .unauthorized)
    }
}
