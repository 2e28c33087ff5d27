import Foundation
import Testing

@testable import SwitchboardClient

@Suite("Calls with completions, and the delegate", .timeLimit(.minutes(15)))
struct CallbackTests {
    /// Returns the result of a call with a completion.
    private func result<Value: Sendable>(
        _ call: (@escaping SwitchboardClient.Completion<Value>) -> Void
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in call { continuation.resume(with: $0) } }
    }

    @Test("R41 R73 R91 R108 R120 R122: a call with a completion has the result of the one without")
    func calls() async throws {
        let fixture = Fixture {
            $0.monitoring = MonitoringParameters(appInstallID: "i-1")
            $0.bloomreach = BloomreachConfiguration(authorizationToken: "key")
        }
        let client = fixture.client
        fixture.gateway.setUnread(2, for: "u-1")
        fixture.gateway.addToInbox(["id": "m-1", "type": "push"])
        await client.setCopilotTokenProvider(CountingProvider(gateway: fixture.gateway))
        let start: Initialization = try await result { client.initialize(.copilot(userID: "u-1"), completion: $0) }
        #expect(!start.wasActive)
        let registration: RegistrationResult = try await result { client.registerPush(Fixture.push, completion: $0) }
        #expect(registration == .registered)
        let unread: Int = try await result { client.getUnreadMessagesCount(completion: $0) }
        #expect(unread == 2)
        let tap: TapResult? = try await result { client.setPushNotificationTapped("m-1", completion: $0) }
        #expect(tap?.conversationID == "c-9")
        let engagement: Engagement = try await result { client.getEngagement(entryPoints: [], completion: $0) }
        #expect(engagement.sessionID == "visit")
        let pkce: PkceParameters = try await result { client.getPkceParams(accountID: "acme", completion: $0) }
        #expect(try await client.getPkceParams(accountID: "acme") == pkce)
        try await result { client.resolveConversation("c-9", completion: $0) } as Void
        let items: [InboxItem] = try await result { client.fetchAppInbox(completion: $0) }
        let item = try #require(items.first)
        try await result { client.markAppInboxRead(item, completion: $0) } as Void
        let categories: [ConsentCategory] = try await result { client.consentCategories(completion: $0) }
        #expect(categories.map(\.id) == ["news"])
        let push = PushPayload(data: ["brandId": "acme", "messageId": "m-9", "text": "x", "badge": "3"])
        let message = await withCheckedContinuation { continuation in
            client.handlePush(push, showNotification: false) { continuation.resume(returning: $0) }
        }
        #expect(message?.id == "m-9")
        try await result { client.anonymize(completion: $0) } as Void
        try await result {
            client.reconnect(AuthenticationParameters(jwt: FakeGateway.jwt("u-2")), completion: $0)
        } as Void
        try await result { client.logout(completion: $0) } as Void
        #expect(
            await failure { _ = try await self.result { client.getUnreadMessagesCount(completion: $0) } as Int }?.code
                == .notInitialized
        )
    }

    /// A delegate that notes its calls.
    private final class Delegate: SwitchboardClientDelegate {
        private let log = Locked<[String]>([])
        var calls: [String] { log.withLock { $0 } }
        private func note(_ call: String) { log.withLock { $0.append(call) } }

        func connectionStateChanged(isReady: Bool) { note("ready \(isReady)") }
        func tokenExpired(brandID: String) { note("expired \(brandID)") }
        func authenticationFailed(_ error: SwitchboardError) { note("failed \(error.code)") }
        func pushRegistrationDidFinish() { note("registered") }
        func pushRegistrationDidFail(_ error: SwitchboardError) { note("not registered \(error.code)") }
        func notificationTapped(_ message: PushMessage) { note("tapped \(message.id ?? "-")") }
        func unreadChanged(_ count: Int) { note("unread \(count)") }
        func sessionEnded(_ cause: LogoutCause) { note("ended \(cause.rawValue)") }
    }

    @Test("R44 R55 R73 R199: the delegate has a method for each event, in order")
    func delegate() async throws {
        let fixture = Fixture { $0.retry.registration = .none }
        let delegate = Delegate()
        await fixture.client.setDelegate(delegate)
        let jwt = FakeGateway.jwt("u-1")
        try await fixture.client.initialize(.parameters(AuthenticationParameters(jwt: jwt)))
        fixture.gateway.setUnread(2, for: "u-1")
        _ = try await fixture.client.unreadCount()
        try await fixture.client.registerPush(Fixture.push)
        fixture.gateway.fail("PUT device", .problem(409, "conflict"))
        _ = await failure { try await fixture.client.registerPush(.fcm("other")) }
        await fixture.client.bannerTapped(
            try #require(
                PushParser(brandID: "acme", dialects: [.switchboard]).parse(
                    PushPayload(data: ["brandId": "acme", "messageId": "m-1", "text": "x"])
                )
            )
        )
        fixture.gateway.expireSessions()
        fixture.gateway.expire(assertion: jwt)
        _ = await failure { _ = try await fixture.client.messages() }
        let expected = [
            "ready true", "unread 2", "registered", "not registered conflict", "tapped m-1", "ready false",
            "expired acme",
        ]
        while delegate.calls.count < expected.count { await Task.yield() }
        #expect(delegate.calls == expected)
    }
}
