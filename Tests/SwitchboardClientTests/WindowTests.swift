import Foundation
import Testing

@testable import SwitchboardClient

@Suite("Messaging window", .timeLimit(.minutes(15)))
struct WindowTests {
    private let windows = FakeWindows()
    private let fixture: Fixture

    init() { fixture = Fixture(clock: TestClock { _ in false }, windows: windows) }

    private var client: SwitchboardClient { fixture.client }

    /// Opens a window whose messages are downloaded.
    private func ready() async throws -> (MessagingWindow, FakeConnection) {
        let window = try await client.openWindow()
        let connection = await windows.next()
        connection.push(WindowFrames.ready([:]))
        #expect(await window.nextEvent() == .stateChanged(.opening))
        #expect(await window.nextEvent() == .stateChanged(.ready))
        #expect(await connection.next()["type"] == "resume")
        return (window, connection)
    }

    @Test("R96: the count falls with the window's ready state and the gateway's read mark, not with the opening")
    func unread() async throws {
        fixture.gateway.setUnread(2, for: "u-1")
        try await fixture.loginCopilot()
        let screen = Screen()
        await client.setPresenter(screen)
        #expect(try await client.unreadCount() == 2)
        let recorder = await Recorder(client)
        let window = try await client.openWindow()
        let connection = await windows.next()
        #expect(connection.request.url.path == "/v1/brands/acme/window")
        let device = try #require(await client.deviceID)
        #expect(connection.request.url.query == "deviceId=" + device)
        connection.push(WindowFrames.ready(["c": (3, 1)], unread: 2))
        #expect(await connection.next()["conversations"] == [["id": "c", "afterSequence": 1]])
        #expect(await client.lastUnreadCount == 2)
        connection.push(WindowFrames.message("c", 2))
        connection.push(WindowFrames.message("c", 3))
        let mark = await connection.next()
        #expect(mark["type"] == "ack" && mark["upToSequence"] == 3)
        #expect(await client.lastUnreadCount == 2)
        connection.push(WindowFrames.read("c", 3, unread: 0))
        var events: [WindowEvent] = []
        while events.count < 5, let event = await window.nextEvent() { events.append(event) }
        guard case .message = events[1], case .message = events[2] else {
            Issue.record("\(events)")
            return
        }
        #expect(events[0] == .stateChanged(.opening))
        #expect(events[3] == .stateChanged(.ready))
        #expect(events[4] == .read(conversationID: "c", upToSequence: 3, unread: 0))
        #expect(await client.lastUnreadCount == 0)
        await client.finishPendingWork()
        #expect(screen.calls.suffix(2) == ["withdraw ", "badge 0"])
        #expect(await recorder.all.contains(.unreadChanged(0)))
    }

    @Test("R99: closing the window closes the socket at once; so does the end of the task that reads it")
    func closing() async throws {
        try await fixture.loginCopilot()
        let (window, connection) = try await ready()
        await window.close()
        #expect(connection.isClosed)
        #expect(await window.nextEvent() == .closed(nil))
        #expect(await window.nextEvent() == nil)
        #expect(await failure { try await window.send("hi", conversationID: "c") }?.code == .cancelled)
        let (second, next) = try await ready()
        let task = Task { await second.nextEvent() }
        task.cancel()
        #expect(await task.value == nil)
        #expect(next.isClosed)
        // A second window takes the place of the first.
        let (third, last) = try await ready()
        let fourth = try await client.openWindow()
        #expect(last.isClosed)
        #expect(await third.nextEvent() == .closed(nil))
        await fourth.close()
    }

    @Test("R79 R99: a logout closes the window first; what the app has not read of it is dropped")
    func logout() async throws {
        try await fixture.loginCopilot()
        let (window, connection) = try await ready()
        connection.push(WindowFrames.message("c", 1))
        #expect(await connection.next()["type"] == "ack")
        async let call = failure { try await window.send("hi", conversationID: "c") }
        #expect(await connection.next()["type"] == "send")
        try await client.logout()
        #expect(connection.isClosed)
        let outcome = await call
        #expect(outcome?.code == .sessionEnded)
        let error = SwitchboardError(.sessionEnded, "the session of the window ended")
        #expect(await window.nextEvent() == .closed(error))
        #expect(await failure { _ = try await client.openWindow() }?.code == .notInitialized)
        #expect(windows.connections.count == 1)
    }

    @Test("R79: another consumer's login ends the window")
    func otherConsumer() async throws {
        try await fixture.loginCopilot()
        let (window, connection) = try await ready()
        try await client.initialize(.copilot(userID: "u-2"))
        #expect(connection.isClosed)
        guard case .closed(let error)? = await window.nextEvent() else {
            Issue.record("not closed")
            return
        }
        #expect(error?.code == .sessionEnded)
        let (_, next) = try await ready()
        #expect(next.token.hasSuffix("of-u-2"))
    }

    @Test("R63: in the code flow each opening needs a fresh code; an assertion is exchanged once")
    func codes() async throws {
        let code = AuthenticationParameters(code: "u-1-a", redirectURI: "app://x")
        try await client.initialize(.parameters(code))
        let (window, _) = try await ready()
        await window.close()
        #expect(await failure { _ = try await client.openWindow() }?.code == .tokenExpired)
        let fresh = AuthenticationParameters(code: "u-1-b", redirectURI: "app://x")
        let second = try await client.openWindow(authentication: fresh)
        _ = await windows.next()
        #expect(fixture.gateway.calls("POST sessions").compactMap { $0.body["code"]?.text } == ["u-1-a", "u-1-b"])
        await second.close()
        let other = Fixture(clock: TestClock { _ in false }, windows: windows)
        let assertion = AuthenticationParameters(jwt: FakeGateway.jwt("u-1"))
        try await other.client.initialize(.parameters(assertion))
        for _ in 0..<2 {
            let window = try await other.client.openWindow(authentication: assertion)
            _ = await windows.next()
            await window.close()
        }
        #expect(other.gateway.calls("POST sessions").count == 1)
    }

    @Test("R56 trap 4: an expired token is renewed once; then the app must give a credential, and the window continues")
    func expiredToken() async throws {
        let provider = try await fixture.loginCopilot()
        let recorder = await Recorder(client)
        let (window, connection) = try await ready()
        connection.push(.closed(code: 4401, reason: "token_expired"))
        let second = await windows.next()
        #expect(second.token != connection.token)
        #expect(provider.asked.count == 2)
        second.push(.closed(code: 4401, reason: "token_expired"))
        await client.finishPendingWork()
        #expect(await window.nextEvent() == .stateChanged(.reconnecting))
        while !(await recorder.all.contains(.tokenExpired)) { await Task.yield() }
        try await client.reconnect(AuthenticationParameters(jwt: FakeGateway.jwt("u-1")))
        let third = await windows.next()
        third.push(WindowFrames.ready([:]))
        #expect(await window.nextEvent() == .stateChanged(.ready))
        await window.close()
    }

    @Test("a token that is about to expire is replaced without a new connection")
    func expiringToken() async throws {
        try await fixture.loginCopilot()
        let (window, connection) = try await ready()
        connection.push(["type": "tokenExpiring", "inSeconds": 60])
        let frame = await connection.next()
        #expect(frame["type"] == "reauthenticate")
        #expect(frame["sessionToken"]?.text != connection.token)
        #expect(windows.connections.count == 1)
        await window.close()
    }

    @Test("R84: the gateway's logout of the session ends it on the device")
    func loggedOut() async throws {
        try await fixture.loginCopilot()
        let recorder = await Recorder(client)
        let (window, connection) = try await ready()
        connection.push(.closed(code: 4409, reason: "logged_out"))
        #expect(await recorder.untilEnd.contains(.sessionEnded(.remote)))
        guard case .closed? = await window.nextEvent() else {
            Issue.record("not closed")
            return
        }
        #expect(!fixture.storage.text.contains("u-1"))
    }

    @Test("a message is sent again over a new connection, after the wait, and has one outcome")
    func sending() async throws {
        try await fixture.loginCopilot()
        let (window, connection) = try await ready()
        async let stored = window.send("hi", conversationID: "c", data: ["orderId": "A17"], clientID: "mine")
        let first = await connection.next()
        connection.lose()
        // The tests' clock stands still: the wait is from 1 to 1.5 s.
        while await window.nextEvent() != .stateChanged(.reconnecting) {}
        fixture.clock.advance(by: .seconds(2))
        let second = await windows.next()
        second.push(WindowFrames.ready([:]))
        #expect(await second.next()["type"] == "resume")
        #expect(await second.next() == first)
        second.push(WindowFrames.sent("mine", "m-7", 7))
        let result = try await stored
        #expect(result == SentMessage(messageID: "m-7", sequence: 7))
        await window.typing(conversationID: "c")
        #expect(await second.next()["type"] == "typing")
        await window.close()
    }

    @Test("a caller that no longer waits has its outcome, and the others theirs")
    func cancelledCall() async throws {
        try await fixture.loginCopilot()
        let (window, connection) = try await ready()
        let call = Task { await failure { try await window.send("a", conversationID: "c") } }
        #expect(await connection.next()["type"] == "send")
        call.cancel()
        #expect(await call.value?.code == .cancelled)
        #expect(await failure { try await window.send("", conversationID: "c") }?.code == .invalidRequest)
        await window.close()
    }

    @Test("an app that does not read its events loses none: the connection is not read meanwhile")
    func slowApp() async throws {
        try await fixture.loginCopilot()
        let (window, connection) = try await ready()
        let count = 3 * WindowEventQueue.maxWaiting
        for sequence in 1...count { connection.push(WindowFrames.message("c", sequence)) }
        var sequences: [Int] = []
        while sequences.count < count, let event = await window.nextEvent() {
            if case .message(let message) = event { sequences.append(message.sequence ?? 0) }
        }
        #expect(sequences == Array(1...count))
        await window.close()
    }

    @Test("R122: the consumer opens a conversation, and resolves it; without an active one it is an error")
    func conversations() async throws {
        try await fixture.loginCopilot()
        #expect(try await client.openConversation() == "c-new")
        try await client.resolveConversation("c-new")
        fixture.gateway.fail("POST resolve", .problem(409, "conflict"))
        #expect(await failure { try await client.resolveConversation("c-new") }?.code == .conflict)
        #expect(fixture.gateway.calls("POST resolve").count == 2)
    }

    #if !canImport(Darwin)
    @Test("without a window transport the opening fails, and names it")
    func noTransport() async throws {
        let fixture = Fixture()
        try await fixture.loginCopilot()
        let error = await failure { _ = try await fixture.client.openWindow() }
        #expect(error?.code == .providerMissing)
        #expect(error?.reason == "windowTransport")
    }
    #endif
}
