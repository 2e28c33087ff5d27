import Foundation
import Testing

@testable import SwitchboardClient

@Suite("Logout", .timeLimit(.minutes(15)))
struct LogoutTests {
    /// Logs in a user with everything that the library stores.
    private func full(_ fixture: Fixture, _ user: String) async throws {
        try await fixture.client.initialize(.parameters(.init(jwt: FakeGateway.jwt(user))))
        try await fixture.client.registerPush(.fcm("push-token-of-" + user))
        fixture.gateway.setUnread(8, for: user)
        _ = try await fixture.client.unreadCount()
        _ = try await fixture.client.getPkceParams(accountID: "account-of-" + user)
        let push = PushPayload(data: [
            "brandId": "acme", "messageId": "message-of-" + user, "conversationId": "conversation-of-" + user,
            "sequence": "1", "badge": "9", "text": "hi",
        ])
        fixture.gateway.fail("POST receipts", .drop)
        await fixture.client.handlePush(push, showNotification: true)
        await fixture.client.finishPendingWork()
        try await fixture.client.setPushNotificationTapped("message-of-" + user)
    }

    @Test("R79 trap 13: nothing of the first user is left for the second", arguments: [UnregisterScope.all, .agent])
    func nothingLeft(scope: UnregisterScope) async throws {
        let fixture = Fixture()
        let screen = Screen()
        await fixture.client.setPresenter(screen)
        try await full(fixture, "first")
        let verifier = try await fixture.client.getPkceParams(accountID: "account-of-first").codeVerifier
        let device = try #require(await fixture.client.deviceID)
        #expect(fixture.storage.text.contains("message-of-first"))
        try await fixture.client.logout(scope)
        for rest in ["first", verifier, device, "session-"] {
            #expect(!fixture.storage.text.contains(rest))
        }
        #expect(screen.calls.suffix(2) == ["withdraw all", "badge 0"])
        try await fixture.client.initialize(.parameters(.init(jwt: FakeGateway.jwt("second"))))
        #expect(await fixture.client.lastUnreadCount == nil)
        #expect(await fixture.client.conversationOpening() == .latest)
        #expect(try await fixture.client.getPkceParams(accountID: "account-of-first").codeVerifier != verifier)
        #expect(try await fixture.client.unreadCount() == 0)
        #expect(try await fixture.client.registerPush(.fcm("push-token-of-first")) == .registered)
        #expect(fixture.gateway.devices.values.map(\.consumer) == ["second"])
    }

    @Test(
        "R80: the scope goes to the gateway, and decides which pushes are still shown",
        arguments: [
            (UnregisterScope.all, ["badge 0"], 0), (.agent, ["badge 0", "show p"], 1),
            (.none, ["badge 0", "badge 1", "show a", "badge 1", "show p"], 1),
        ]
    )
    func scopes(scope: UnregisterScope, shown: [String], devices: Int) async throws {
        let fixture = Fixture()
        let screen = Screen()
        try await fixture.loginCopilot()
        try await fixture.client.registerPush(Fixture.push)
        await fixture.client.setPresenter(screen)
        try await fixture.client.logout(scope)
        #expect(fixture.gateway.calls("DELETE session").first?.request.url.query == "unregister=\(scope.rawValue)")
        #expect(fixture.gateway.devices.count == devices)
        let restarted = fixture.restarted()
        await restarted.client.setPresenter(screen)
        for (id, service) in [("a", "ams"), ("p", "prmsg")] {
            let push = PushPayload(data: [
                "brandId": "acme", "messageId": id, "conversationId": "c", "badge": "1", "backendService": service,
                "text": "hi",
            ])
            await restarted.client.handlePush(push, showNotification: true)
        }
        #expect(screen.calls.dropFirst() == shown[...])
    }

    @Test("R83 trap 14: without the gateway nothing is wiped; the failure is reported after all repetitions")
    func failed() async throws {
        let fixture = Fixture()
        try await fixture.loginCopilot()
        try await fixture.client.registerPush(Fixture.push)
        fixture.gateway.fail("DELETE session", .drop, times: 6)
        let waits = fixture.clock.sleeps.count
        #expect(await failure { try await fixture.client.logout() }?.code == .connectivity)
        #expect(Array(fixture.clock.sleeps.dropFirst(waits)) == [1, 2, 4, 8, 16].map { .seconds($0) })
        #expect(fixture.storage.text.contains("u-1"))
        _ = try await fixture.client.messages()
        try await fixture.client.logout()
        #expect(!fixture.storage.text.contains("u-1"))
    }

    @Test("R83 R68: a logout whose first attempts fail has one outcome")
    func retried() async throws {
        let fixture = Fixture()
        try await fixture.loginCopilot()
        try await fixture.client.registerPush(Fixture.push)
        fixture.gateway.fail("DELETE session", .dropResponse, .problem(503, "overloaded", retryAfter: 5))
        try await fixture.client.logout()
        #expect(fixture.gateway.devices.isEmpty)
    }

    @Test("R83: the forced variant wipes after one attempt, whatever the gateway does")
    func forced() async throws {
        for fault in [FakeGateway.Fault.drop, .problem(500, "internal"), .problem(403, "forbidden"), .garbage(200)] {
            let fixture = Fixture()
            try await fixture.loginCopilot()
            try await fixture.client.registerPush(Fixture.push)
            fixture.gateway.fail("DELETE session", fault)
            try await fixture.client.logout(isForced: true)
            #expect(fixture.gateway.calls("DELETE session").count == 1)
            #expect(!fixture.storage.text.contains("u-1"))
        }
    }

    @Test("R83: a storage that cannot be wiped fails the logout, also the forced one")
    func wipeFails() async throws {
        let fixture = Fixture()
        try await fixture.loginCopilot()
        fixture.storage.fill()
        fixture.storage.keep()
        #expect(await failure { try await fixture.client.logout(isForced: true) }?.code == .storage)
        #expect(await failure { _ = try await fixture.client.messages() }?.code == .notInitialized)
        fixture.storage.fill(false)
        try await fixture.loginCopilot("second")
        #expect(try await fixture.client.registerPush(Fixture.push) == .registered)
        #expect(!fixture.storage.text.contains("u-1"))
    }

    @Test("a storage that is full is wiped by removing the record")
    func fullStorage() async throws {
        let fixture = Fixture()
        try await fixture.loginCopilot()
        fixture.storage.fill()
        try await fixture.client.logout()
        #expect(fixture.storage.record == nil)
    }

    @Test("R84: every cause of a logout does the same", arguments: [LogoutCause.explicit, .inactivity, .otherDevice])
    func causes(cause: LogoutCause) async throws {
        let fixture = Fixture()
        try await full(fixture, "first")
        try await fixture.client.logout(cause: cause)
        #expect(!fixture.storage.text.contains("first"))
        #expect(fixture.gateway.devices.isEmpty)
    }

    @Test("R86: a logout works without initialisation, with the stored session, and repeatedly")
    func idempotent() async throws {
        let fixture = Fixture()
        try await fixture.client.logout()
        #expect(fixture.gateway.routes.isEmpty)
        try await full(fixture, "first")
        let restarted = fixture.restarted()
        try await restarted.client.logout()
        try await restarted.client.logout()
        #expect(fixture.gateway.calls("DELETE session").count == 1)
        #expect(fixture.gateway.devices.isEmpty)
        #expect(!fixture.storage.text.contains("first"))
        #expect(await failure { _ = try await restarted.client.unreadCount() }?.code == .notInitialized)
    }

    @Test("a stored token is not sent to an address without encryption, neither by a logout nor by an extension")
    func plainAddress() async throws {
        let fixture = Fixture()
        try await full(fixture, "first")
        fixture.gateway.clearCalls()
        let url = try #require(URL(string: "http://gateway.example"))
        let plain = fixture.restarted { $0.serverURL = url }
        let helper = await NotificationServiceHelper(
            configuration: plain.client.configuration,
            storage: fixture.storage,
            transport: fixture.gateway,
            clock: fixture.clock
        )
        let push = PushPayload(data: ["brandId": "acme", "messageId": "m", "text": "hi"])
        #expect(await helper.receive(push) != nil)
        #expect(await failure { try await plain.client.logout() }?.code == .parameterMissing)
        #expect(fixture.gateway.routes.isEmpty)
    }

    @Test("an expired session is renewed for the logout; one that was revoked needs none")
    func expired() async throws {
        let fixture = Fixture()
        let provider = try await fixture.loginCopilot()
        try await fixture.client.registerPush(Fixture.push)
        fixture.gateway.expireSessions()
        try await fixture.client.logout()
        #expect(provider.asked.count == 2)
        #expect(fixture.gateway.devices.isEmpty)
        let other = Fixture()
        try await other.loginCopilot()
        _ = try await other.client.messages()
        other.gateway.revokeSessions()
        try await other.client.logout()
        #expect(other.gateway.calls("DELETE session").count == 1)
    }

    @Test("R83: a session that cannot be renewed fails the logout, and can be forced")
    func notRenewable() async throws {
        let fixture = Fixture()
        try await fixture.client.initialize(.parameters(.init(code: "c-1", redirectURI: "app://back")))
        try await fixture.client.registerPush(Fixture.push)
        fixture.gateway.expireSessions()
        #expect(await failure { try await fixture.client.logout() }?.code == .tokenExpired)
        #expect(fixture.storage.text.contains("of-c-1"))
        try await fixture.client.logout(isForced: true)
        #expect(!fixture.storage.text.contains("of-c-1"))
    }

    @Test("a call that runs when the session ends is discarded, and stores nothing for the next user")
    func inFlight() async throws {
        let fixture = Fixture()
        try await fixture.loginCopilot("first")
        fixture.gateway.setUnread(7, for: "first")
        _ = try await fixture.client.messages()
        let client = fixture.client
        let calls = (0..<20).map { _ in
            Task {
                await failure {
                    _ = try await client.unreadCount()
                    try await client.registerPush(.fcm("push-of-first"))
                }
            }
        }
        await Task.yield()
        try await client.logout(isForced: true)
        try await client.initialize(.copilot(userID: "second"))
        for call in calls {
            let code = await call.value?.code
            #expect(code == nil || code == .sessionEnded || code == .notInitialized)
        }
        #expect(await client.lastUnreadCount.map { $0 == 0 } ?? true)
        #expect(!fixture.storage.text.contains("first"))
    }

    @Test("a registration that waits for another one is not sent for the next user")
    func waitingRegistration() async throws {
        let fixture = Fixture()
        let client = fixture.client
        try await fixture.loginCopilot("first")
        fixture.gateway.fail("PUT device", .hang)
        let running = Task { await failure { try await client.registerPush(.fcm("a")) } }
        while fixture.gateway.calls("PUT device").isEmpty { await Task.yield() }
        let waiting = Task { await failure { try await client.registerPush(.fcm("b"), receives: .proactive) } }
        while await client.user?.registration.desired?.token != PushToken.fcm("b") { await Task.yield() }
        try await client.logout(isForced: true)
        try await fixture.loginCopilot("second")
        running.cancel()
        #expect(await running.value?.code == .sessionEnded)
        #expect(await waiting.value?.code == .sessionEnded)
        #expect(fixture.gateway.calls("PUT device").count == 1)
        #expect(fixture.gateway.devices.isEmpty)
    }

    @Test("a push that is being handled during a logout is not shown after it")
    func screenAfterLogout() async throws {
        let fixture = Fixture()
        let client = fixture.client
        let screen = SlowScreen()
        try await fixture.loginCopilot("first")
        await client.setPresenter(screen)
        let push = PushPayload(data: ["brandId": "acme", "messageId": "m", "badge": "3", "text": "hi"])
        let handling = Task { await client.handlePush(push, showNotification: true) }
        while screen.calls.isEmpty { await Task.yield() }
        try await client.logout(isForced: true)
        screen.open()
        _ = await handling.value
        #expect(screen.calls == ["badge 3", "withdraw", "badge 0"])
    }

    /// A screen that is busy with a badge other than 0 until it is opened.
    private final class SlowScreen: PushPresenter {
        private let log = Locked<[String]>([])
        private let isOpen = Locked(false)
        var calls: [String] { log.withLock { $0 } }
        func open() { isOpen.withLock { $0 = true } }
        func show(_ message: PushMessage) { log.withLock { $0.append("show") } }
        func withdraw(_ withdrawal: PushWithdrawal) { log.withLock { $0.append("withdraw") } }
        func setBadge(_ count: Int) async {
            log.withLock { $0.append("badge \(count)") }
            while count > 0, !isOpen.withLock({ $0 }) { await Task.yield() }
        }
    }

    @Test("events after a logout do not reach the streams of the login before")
    func streams() async throws {
        let fixture = Fixture()
        let delegate = Delegate()
        await fixture.client.setDelegate(delegate)
        try await fixture.loginCopilot("first")
        try await fixture.client.registerPush(Fixture.push)
        await fixture.client.finishPendingWork()
        while delegate.count < 2 { await Task.yield() }
        try await fixture.client.logout()
        try await fixture.loginCopilot("second")
        try await fixture.client.registerPush(Fixture.push)
        for _ in 0..<200 { await Task.yield() }
        #expect(delegate.calls == ["ready true", "registered", "ready false"])
    }

    private final class Delegate: SwitchboardClientDelegate {
        private let log = Locked<[String]>([])
        var calls: [String] { log.withLock { $0 } }
        var count: Int { calls.count }
        func connectionStateChanged(isReady: Bool) { log.withLock { $0.append("ready \(isReady)") } }
        func pushRegistrationDidFinish() { log.withLock { $0.append("registered") } }
    }
}
