import Foundation
import Testing

@testable import SwitchboardClient

@Suite("Login", .timeLimit(.minutes(15)))
struct LoginFlowTests {
    @Test("R41 R63 R73: a login with an assertion makes three requests: session, registration, unread")
    func assertionFlow() async throws {
        let fixture = Fixture()
        fixture.gateway.setUnread(3, for: "u-1")
        let recorder = await Recorder(fixture.client)
        try await fixture.client.initialize(.parameters(.init(jwt: FakeGateway.jwt("u-1"))))
        #expect(fixture.gateway.routes.isEmpty)
        #expect(try await fixture.client.registerPush(Fixture.push) == .registered)
        #expect(try await fixture.client.unreadCount() == 3)
        #expect(fixture.gateway.routes == ["POST sessions", "PUT device", "GET unread"])
        #expect(await fixture.client.consumerID == "u-1")
        #expect(await recorder.all == [.connectionChanged(isReady: true), .registrationFinished, .unreadChanged(3)])
    }

    @Test("R9 R8 R14: a login with keys of the app makes two requests and asks once, for the session's user")
    func copilotFlow() async throws {
        let fixture = Fixture()
        let provider = try await fixture.loginCopilot("u-7")
        try await fixture.client.registerPush(Fixture.push)
        _ = try await fixture.client.unreadCount()
        #expect(fixture.gateway.routes == ["PUT device", "GET unread"])
        #expect(provider.asked == ["u-7"])
        let restarted = fixture.restarted()
        let second = try await restarted.loginCopilot("u-7")
        _ = try await restarted.client.unreadCount()
        #expect(second.asked.isEmpty)
    }

    @Test(
        "R63 R73: each login makes the requests that it needs: its own, registration, unread",
        arguments: zip(
            GatewayAwayTests.Login.allCases,
            [["POST sessions"], ["POST sessions"], [], ["POST exchange"], ["POST sessions"]]
        )
    )
    func requests(login: GatewayAwayTests.Login, first: [String]) async throws {
        let fixture = Fixture()
        let provider = CountingProvider(gateway: fixture.gateway)
        let signer = Signer { _, success, _ in success("signed:u-1") }
        await fixture.client.setCopilotTokenProvider(provider)
        await fixture.client.setPayloadSigner(signer)
        try await fixture.client.initialize(login.authentication("u-1"))
        #expect(try await fixture.client.registerPush(Fixture.push) == .registered)
        #expect(try await fixture.client.unreadCount() == 0)
        await fixture.client.finishPendingWork()
        #expect(fixture.gateway.routes == first + ["PUT device", "GET unread"])
        #expect(provider.asked.count == (login == .copilot ? 1 : 0))
        #expect(signer.types.count == (login == .signed ? 1 : 0))
    }

    @Test("R34 R35 R37: a signed payload is exchanged by the library, and the token is reused after a restart")
    func signedFlow() async throws {
        let fixture = Fixture()
        let signer = Signer { _, success, _ in success("signed:u-2") }
        await fixture.client.setPayloadSigner(signer)
        try await fixture.client.initialize(.signedPayload(sdkKeyName: "key", payload: ["plan": "gold"]))
        _ = try await fixture.client.unreadCount()
        _ = try await fixture.client.messages()
        #expect(fixture.gateway.routes == ["POST exchange", "GET unread", "GET messages"])
        #expect(fixture.gateway.calls("POST exchange").first?.request.headers["X-SDK-Key-Name"] == "key")
        #expect(signer.types == [.authToken])
        let restarted = fixture.restarted()
        await restarted.client.setPayloadSigner(signer)
        try await restarted.client.initialize(.signedPayload(sdkKeyName: "key", payload: ["plan": "gold"]))
        _ = try await restarted.client.unreadCount()
        #expect(signer.types.count == 1)
    }

    @Test("R65: an anonymous consumer is one kind of login, and merges into the one who logs in")
    func anonymous() async throws {
        let fixture = Fixture()
        try await fixture.client.initialize(.anonymous)
        fixture.gateway.setUnread(2, for: "anonymous-1")
        #expect(try await fixture.client.unreadCount() == 2)
        try await fixture.client.initialize(.parameters(.init(jwt: FakeGateway.jwt("u-1"))))
        fixture.clock.advance(by: .seconds(11))
        #expect(try await fixture.client.unreadCount() == 2)
        #expect(fixture.gateway.calls("POST sessions").last?.body["anonymousToken"]?.text == "session-1-of-anonymous-1")
        #expect(await fixture.client.consumerID == "u-1")
    }

    @Test(
        "R41: a missing parameter is an error of its own, and changes nothing",
        arguments: ["brandID", "appID", "monitoring.appInstallID", "serverURL", "authorizationTimeoutSeconds"]
    )
    func parameters(name: String) async throws {
        let fixture = Fixture { configuration in
            switch name {
            case "brandID": configuration.brandID = ""
            case "appID": configuration.appID = "a/b"
            case "serverURL": configuration.serverURL = URL(string: "http://gateway.example") ?? configuration.serverURL
            case "authorizationTimeoutSeconds": configuration.authorizationTimeoutSeconds = 0
            default: configuration.monitoring = MonitoringParameters(appInstallID: "")
            }
        }
        let error = await failure { try await fixture.client.initialize(.none) }
        #expect(error?.code == .parameterMissing)
        #expect(error?.reason == name)
        #expect(fixture.storage.saves == 0)
    }

    @Test("R42 trap 15: a failed initialisation is reset and tried once more; then every call is disabled")
    func disabled() async throws {
        let fixture = Fixture()
        fixture.storage.fill()
        #expect(await failure { try await fixture.client.initialize(.anonymous) }?.code == .storage)
        fixture.storage.fill(false)
        #expect(await failure { try await fixture.client.initialize(.anonymous) }?.code == .disabled)
        #expect(await failure { _ = try await fixture.client.unreadCount() }?.code == .disabled)
        #expect(await failure { try await fixture.client.registerPush(Fixture.push) }?.code == .disabled)
        #expect(await failure { try await fixture.client.logout() }?.code == .disabled)
        #expect(fixture.gateway.routes.isEmpty)
        #expect(fixture.clock.sleeps.isEmpty)
    }

    @Test("R42: a record that cannot be read now is kept, by the initialisation and by a logout")
    func locked() async throws {
        let fixture = Fixture()
        try await fixture.loginCopilot("u-1")
        _ = try await fixture.client.unreadCount()
        let record = fixture.storage.text
        fixture.storage.lock()
        let locked = fixture.restarted()
        #expect(await failure { try await locked.client.logout() }?.code == .storage)
        #expect(await failure { try await locked.loginCopilot("u-1") }?.code == .storage)
        #expect(await failure { try await locked.loginCopilot("u-1") }?.code == .disabled)
        #expect(fixture.storage.text == record)
        fixture.storage.lock(false)
        let third = fixture.restarted()
        let provider = try await third.loginCopilot("u-1")
        _ = try await third.client.messages()
        #expect(provider.asked.isEmpty)
    }

    @Test(
        "R42: a corrupt record is reset, and the second attempt succeeds",
        arguments: ["", "{", "[]", #"{"schema":1,"libraryVersion":"0.1.0","user":7}"#, #"{"schema":"x"}"#]
    )
    func corrupt(record: String) async throws {
        let fixture = Fixture(storage: FaultyStorage(Data(record.utf8)))
        let screen = Screen()
        await fixture.client.setPresenter(screen)
        let result = try await fixture.client.initialize(.anonymous)
        #expect(result == Initialization(wasActive: false, wasUpgraded: false))
        #expect(screen.calls == ["withdraw all", "badge 0"])
        #expect(try await fixture.client.unreadCount() == 0)
    }

    @Test("after a restart the connection is ready once the gateway took the stored session")
    func readyAfterRestart() async throws {
        let fixture = Fixture()
        try await fixture.loginCopilot()
        _ = try await fixture.client.messages()
        let restarted = fixture.restarted()
        let recorder = await Recorder(restarted.client)
        let provider = try await restarted.loginCopilot()
        #expect(await !restarted.client.isReady)
        _ = try await restarted.client.messages()
        #expect(provider.asked.isEmpty)
        #expect(await restarted.client.isReady)
        #expect(await recorder.all == [.connectionChanged(isReady: true)])
    }

    @Test("R43: a second initialisation of an active session has no effect")
    func secondInitialize() async throws {
        let fixture = Fixture()
        let provider = try await fixture.loginCopilot()
        _ = try await fixture.client.unreadCount()
        let device = await fixture.client.deviceID
        let second = try await fixture.client.initialize(.copilot(userID: "u-1"))
        #expect(second.wasActive)
        _ = try await fixture.client.messages()
        #expect(await fixture.client.deviceID == device)
        #expect(provider.asked.count == 1)
    }

    @Test("R43 R84: an initialisation for another user ends the first one's session")
    func otherUser() async throws {
        let fixture = Fixture()
        let provider = try await fixture.loginCopilot("first")
        try await fixture.client.registerPush(Fixture.push)
        let recorder = await Recorder(fixture.client)
        try await fixture.client.initialize(.copilot(userID: "second"))
        try await fixture.client.registerPush(Fixture.push)
        #expect(
            await recorder.all == [
                .connectionChanged(isReady: false), .consumerChanged, .connectionChanged(isReady: true),
                .registrationFinished,
            ]
        )
        #expect(fixture.gateway.routes == ["PUT device", "DELETE session", "PUT device"])
        #expect(fixture.gateway.devices.values.map(\.consumer) == ["second"])
        #expect(provider.asked == ["first", "second"])
        #expect(!fixture.storage.text.contains("first"))
    }

    @Test("R18 R79: another user after a restart gets nothing of the first, whose session is ended")
    func otherUserAfterRestart() async throws {
        let fixture = Fixture()
        try await fixture.loginCopilot("first")
        try await fixture.client.registerPush(Fixture.push)
        _ = try await fixture.client.getPkceParams(accountID: "account-of-first")
        let restarted = fixture.restarted()
        let screen = Screen()
        await restarted.client.setPresenter(screen)
        try await restarted.loginCopilot("second")
        #expect(screen.calls == ["withdraw all", "badge 0"])
        #expect(restarted.gateway.routes == ["PUT device", "DELETE session"])
        #expect(!restarted.storage.text.contains("first"))
        _ = try await restarted.client.messages()
        #expect(await restarted.client.consumerID == "second")
    }

    @Test("R44: events of the login reach a reader that subscribed before it")
    func earlyObserver() async throws {
        let fixture = Fixture()
        let recorder = await Recorder(fixture.client)
        try await fixture.client.initialize(.parameters(.init(jwt: "no-token")))
        #expect(await failure { _ = try await fixture.client.unreadCount() }?.code == .authenticationFailed)
        #expect(await recorder.all.count == 1)
    }

    @Test("R45 R86: a logout ends the streams of the login; afterwards calls need an initialisation")
    func observersRemoved() async throws {
        let fixture = Fixture()
        let recorder = await Recorder(fixture.client)
        try await fixture.loginCopilot()
        _ = try await fixture.client.unreadCount()
        try await fixture.client.logout()
        #expect(
            await recorder.untilEnd == [
                .connectionChanged(isReady: true), .unreadChanged(0), .connectionChanged(isReady: false),
            ]
        )
        #expect(await failure { _ = try await fixture.client.unreadCount() }?.code == .notInitialized)
        try await fixture.client.logout()
    }

    @Test("R46: data of another version is wiped through the gateway, and the login continues")
    func upgrade() async throws {
        let old = #"{"schema":0,"libraryVersion":"0.0.9","user":{"userID":"u-1","session":{"token":"T"},"inbox":"x"}}"#
        let fixture = Fixture(storage: FaultyStorage(Data(old.utf8)))
        await fixture.client.setCopilotTokenProvider(CountingProvider(gateway: fixture.gateway))
        let result = try await fixture.client.initialize(.copilot(userID: "u-1"))
        #expect(result.wasUpgraded)
        let end = try #require(fixture.gateway.calls.first)
        #expect(end.route == "DELETE session")
        #expect(end.request.url.query == "unregister=none")
        #expect(end.request.headers["Authorization"] == "Bearer T")
        #expect(!fixture.storage.text.contains("inbox"))
        #expect(try await fixture.client.registerPush(Fixture.push) == .registered)
    }

    @Test("R18: the user stays bound to the session over restarts, until the session ends")
    func binding() async throws {
        let fixture = Fixture()
        try await fixture.loginCopilot("u-1")
        let device = await fixture.client.deviceID
        let restarted = fixture.restarted()
        #expect(await restarted.client.boundUserID() == "u-1")
        try await restarted.loginCopilot("u-1")
        #expect(await restarted.client.deviceID == device)
        try await restarted.client.logout()
        #expect(await restarted.client.boundUserID() == nil)
        let third = restarted.restarted()
        try await third.loginCopilot("u-1")
        #expect(await third.client.deviceID != device)
    }

    @Test("R76: initialisation alone suffices; nothing is sent")
    func initializeOnly() async throws {
        let fixture = Fixture()
        try await fixture.client.initialize(.none)
        #expect(await failure { _ = try await fixture.client.unreadCount() }?.code == .unauthorized)
        #expect(fixture.gateway.routes.isEmpty)
    }
}

/// A signing service that behaves as the test says.
final class Signer: PayloadSigner {
    typealias Body =
        @Sendable (
            [String: JSONValue], @escaping @Sendable (String) -> Void, @escaping @Sendable (any Error) -> Void
        ) -> Void

    private let body: Body
    private let asked = Locked<[PayloadType]>([])

    init(_ body: @escaping Body) { self.body = body }

    /// The types that were asked for.
    var types: [PayloadType] { asked.withLock { $0 } }

    func signPayload(
        _ payload: [String: JSONValue],
        type: PayloadType,
        success: @escaping @Sendable (String) -> Void,
        failure: @escaping @Sendable (any Error) -> Void
    ) {
        asked.withLock { $0.append(type) }
        body(payload, success, failure)
    }
}
