import Foundation
import Testing

@testable import SwitchboardClient

@Suite("Unread", .timeLimit(.minutes(15)))
struct UnreadTests {
    private func login(_ profile: PlatformProfile = .ios, unread: Int = 3) async throws -> Fixture {
        let fixture = Fixture(profile: profile)
        fixture.gateway.setUnread(unread, for: "u-1")
        try await fixture.loginCopilot()
        return fixture
    }

    @Test("R91: zero is a success, and a failure is an error")
    func zero() async throws {
        let fixture = try await login(unread: 0)
        #expect(try await fixture.client.unreadCount() == 0)
        let other = try await login()
        other.gateway.fail("GET unread", .problem(403, "forbidden"))
        #expect(await failure { _ = try await other.client.unreadCount() }?.code == .forbidden)
    }

    @Test("R92 trap 5: after the last repetition the count is 0 on iOS, and stays on Android")
    func failed() async throws {
        for profile in [PlatformProfile.ios, .android] {
            let fixture = try await login(profile)
            let screen = Screen()
            await fixture.client.setPresenter(screen)
            #expect(try await fixture.client.unreadCount() == 3)
            fixture.clock.advance(by: .seconds(11))
            fixture.gateway.fail("GET unread", .drop, times: 6)
            #expect(await failure { _ = try await fixture.client.unreadCount() }?.code == .connectivity)
            #expect(await fixture.client.lastUnreadCount == (profile == .ios ? 0 : 3))
            #expect(screen.calls.last == (profile == .ios ? "badge 0" : "badge 3"))
        }
    }

    @Test("R92: an error that is not repeated leaves the count")
    func permanent() async throws {
        let fixture = try await login()
        _ = try await fixture.client.unreadCount()
        fixture.clock.advance(by: .seconds(11))
        fixture.gateway.fail("GET unread", .problem(403, "forbidden"))
        _ = await failure { _ = try await fixture.client.unreadCount() }
        #expect(await fixture.client.lastUnreadCount == 3)
    }

    @Test("R94: two calls within ten seconds make one request, whatever the wall clock does")
    func cache() async throws {
        let fixture = try await login()
        _ = try await fixture.client.unreadCount()
        fixture.clock.advance(by: .seconds(9))
        fixture.clock.jump(by: -100_000)
        _ = try await fixture.client.unreadCount()
        #expect(fixture.gateway.calls("GET unread").count == 1)
        fixture.clock.advance(by: .seconds(1))
        _ = try await fixture.client.unreadCount()
        #expect(fixture.gateway.calls("GET unread").count == 2)
    }

    @Test("R93: a push that arrives during a fetch wins over its response")
    func race() {
        var state = UnreadState()
        let changes = state.changes
        state.pushed(4)
        state.fetched(3, changesBefore: changes, at: .seconds(1))
        #expect(state.count == 4)
        #expect(state.cached(at: .seconds(2)) == nil)
        state.fetched(5, changesBefore: state.changes, at: .seconds(3))
        #expect(state.cached(at: .seconds(4)) == 5)
    }

    @Test("trap 6: only showing messages resets the count; a push, a tap, a login and a registration do not")
    func resets() async throws {
        let fixture = try await login()
        let screen = Screen()
        await fixture.client.setPresenter(screen)
        _ = try await fixture.client.unreadCount()
        try await fixture.client.registerPush(Fixture.push)
        try await fixture.client.setPushNotificationTapped("m-1")
        _ = try await fixture.client.messages(conversationID: "c-9", afterSequence: 3)
        #expect(await fixture.client.lastUnreadCount == 3)
        #expect(try await fixture.client.markRead(conversationID: "c-9", upToSequence: 7) == 0)
        #expect(await fixture.client.lastUnreadCount == 0)
        #expect(screen.calls == ["badge 3", "withdraw ", "badge 0"])
        let read = try #require(fixture.gateway.calls("POST read").first)
        #expect(read.body["upToSequence"] == 7)
        #expect(read.request.url.path == "/v1/brands/acme/conversations/c-9/read")
    }

    @Test("messages and pending proactive messages are read, and malformed ones are left out")
    func lists() async throws {
        let fixture = try await login()
        #expect(try await fixture.client.pendingProactiveMessages().map(\.id) == ["m-1"])
        #expect(GatewayMessage(["messageId": "m", "text": 7]) == nil)
        let message = try #require(
            GatewayMessage([
                "messageId": "m", "text": "", "from": "consumer", "sentAt": "2026-01-02T03:04:05.678Z", "sequence": 4,
            ])
        )
        #expect(message.isFromConsumer)
        #expect(message.sentAt.map { Timestamps.text($0) } == "2026-01-02T03:04:05.678Z")
    }

    @Test("ids are percent-encoded once in paths and queries")
    func encoding() async throws {
        let fixture = try await login()
        _ = try await fixture.client.messages(conversationID: "a/b c%é&=")
        _ = await failure { try await fixture.client.markRead(conversationID: "../x?y", upToSequence: 1) }
        #expect(
            fixture.gateway.calls.map(\.request.url.absoluteString) == [
                "https://gateway.example/v1/brands/acme/messages?limit=50&conversation=a%2Fb%20c%25%C3%A9%26%3D",
                "https://gateway.example/v1/brands/acme/conversations/..%2Fx%3Fy/read",
            ]
        )
    }
}
