import Foundation
import Testing

@testable import SwitchboardClient

@Suite("Push registration", .timeLimit(.minutes(15)))
struct RegistrationTests {
    @Test("R70 R75: without a login a registration is stored, survives a restart, and goes with the next login")
    func deferred() async throws {
        let fixture = Fixture()
        try await fixture.client.initialize(.none)
        #expect(try await fixture.client.registerPush(Fixture.push) == .deferred)
        #expect(fixture.gateway.routes.isEmpty)
        let restarted = fixture.restarted()
        let recorder = await Recorder(restarted.client)
        try await restarted.client.initialize(.none)
        try await restarted.client.reconnect(.init(jwt: FakeGateway.jwt("u-1")))
        await restarted.client.finishPendingWork()
        #expect(fixture.gateway.routes == ["POST sessions", "PUT device"])
        #expect(fixture.gateway.devices.values.map(\.consumer) == ["u-1"])
        #expect(await recorder.all.contains(.registrationFinished))
    }

    @Test(
        "R72: the push kinds",
        arguments: [
            (PushToken.apns(Data([0, 0xff]), isSandbox: true), "apns", "00ff", "sandbox" as String?),
            (.apns(Data([0x1a])), "apns", "1a", "production"), (.fcm("f"), "fcm", "f", nil),
            (.fcm(installationID: "i"), "fcm", "i", nil), (.huawei("h"), "huawei", "h", nil),
        ]
    )
    func kinds(token: PushToken, pushType: String, text: String, environment: String?) async throws {
        let fixture = Fixture(profile: pushType == "apns" ? .ios : .android) {
            $0.locale = "de-DE"
            $0.timeZone = "Europe/Berlin"
            $0.osVersion = "17"
            $0.appVersion = "1.2"
        }
        try await fixture.loginCopilot()
        try await fixture.client.registerPush(token, receives: .proactive)
        let body = try #require(fixture.gateway.calls("PUT device").first?.body)
        #expect(body["pushType"]?.text == pushType)
        #expect(body["token"]?.text == text)
        #expect(body["environment"]?.text == environment)
        #expect(body["platform"]?.text == (pushType == "apns" ? "ios" : "android"))
        #expect(body["locale"]?.text == "de-DE")
        #expect(body["timeZone"]?.text == "Europe/Berlin")
        #expect(body["osVersion"]?.text == "17")
        #expect(body["appVersion"]?.text == "1.2")
        #expect(body["receives"] == ["proactive"])
    }

    @Test("R73: the next step of a login begins after the registration has ended")
    func order() async throws {
        let fixture = Fixture()
        let recorder = await Recorder(fixture.client)
        try await fixture.loginCopilot()
        fixture.gateway.fail("PUT device", .drop, times: 2)
        try await fixture.client.registerPush(Fixture.push)
        _ = try await fixture.client.unreadCount()
        #expect(fixture.gateway.routes == ["PUT device", "PUT device", "PUT device", "GET unread"])
        #expect(await recorder.all.filter { $0 == .registrationFinished }.count == 1)
    }

    @Test("R74: each start of the app and each new token renew the registration; the newest token is the last")
    func renewal() async throws {
        let fixture = Fixture()
        try await fixture.loginCopilot()
        try await fixture.client.registerPush(.fcm("one"))
        try await fixture.client.registerPush(.fcm("one"))
        #expect(fixture.gateway.calls("PUT device").count == 2)
        let client = fixture.client
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask { _ = try? await client.registerPush(.fcm("token-\(number)")) }
            }
        }
        let last = fixture.gateway.calls("PUT device").last?.body["token"]?.text
        #expect(fixture.gateway.devices.values.map(\.token) == [last])
    }

    @Test("R74: a token that comes while an older one is repeated is the last at the gateway")
    func newerToken() async throws {
        let fixture = Fixture()
        try await fixture.loginCopilot()
        fixture.gateway.fail("PUT device", .drop, times: 3)
        let client = fixture.client
        let old = Task { try await client.registerPush(.fcm("old")) }
        while fixture.gateway.calls("PUT device").isEmpty { await Task.yield() }
        let new = Task { try await client.registerPush(.fcm("new")) }
        _ = try await (old.value, new.value)
        #expect(fixture.gateway.devices.values.map(\.token) == ["new"])
    }

    @Test("R158: on change, daily, or at each launch; forced by a new version of the app")
    func frequency() async throws {
        let fixture = Fixture { $0.renewal = .onChange }
        try await fixture.loginCopilot()
        #expect(try await fixture.client.registerPush(Fixture.push) == .registered)
        #expect(try await fixture.client.registerPush(Fixture.push) == .unchanged)
        #expect(try await fixture.client.registerPush(Fixture.push, receives: .agent) == .registered)
        let daily = fixture.restarted { $0.renewal = .daily }
        try await daily.loginCopilot()
        #expect(try await daily.client.registerPush(Fixture.push, receives: .agent) == .unchanged)
        fixture.clock.jump(by: 86_400)
        #expect(try await daily.client.registerPush(Fixture.push, receives: .agent) == .registered)
        fixture.clock.jump(by: -500_000)
        #expect(try await daily.client.registerPush(Fixture.push, receives: .agent) == .registered)
        let updated = fixture.restarted {
            $0.renewal = .onChange
            $0.appVersion = "2"
        }
        try await updated.loginCopilot()
        #expect(try await updated.client.registerPush(Fixture.push, receives: .agent) == .registered)
    }

    @Test("R77 R95: the gateway is asked whether the device is registered; unread does not depend on it")
    func isRegistered() async throws {
        let fixture = Fixture()
        fixture.gateway.setUnread(5, for: "u-1")
        try await fixture.loginCopilot()
        #expect(try await fixture.client.isRegistered() == false)
        #expect(try await fixture.client.unreadCount() == 5)
        try await fixture.client.registerPush(Fixture.push)
        #expect(try await fixture.client.isRegistered())
    }

    @Test("a registration that another consumer has without proof is a conflict, and is not repeated")
    func conflict() async throws {
        let fixture = Fixture()
        try await fixture.loginCopilot()
        fixture.gateway.fail("PUT device", .problem(409, "conflict"))
        #expect(await failure { try await fixture.client.registerPush(Fixture.push) }?.code == .conflict)
        #expect(fixture.clock.sleeps.filter { $0 != .seconds(30) }.isEmpty)
    }

    @Test("the token of an anonymous consumer moves with the login, and the old registration ends")
    func moves() async throws {
        let fixture = Fixture()
        try await fixture.client.initialize(.anonymous)
        try await fixture.client.registerPush(Fixture.push)
        fixture.gateway.setMerges(false)
        try await fixture.client.initialize(.parameters(.init(jwt: FakeGateway.jwt("u-1"))))
        _ = await failure { _ = try await fixture.client.unreadCount() }
        await fixture.client.finishPendingWork()
        #expect(fixture.gateway.devices.values.map(\.consumer) == ["u-1"])
        let login = try #require(fixture.gateway.calls("POST sessions").last?.body)
        #expect(login["currentToken"]?.text == "00fc13")
    }

    @Test("the default of the locale is a language tag: letters, digits and hyphens")
    func locale() async throws {
        let locale = try #require(await Fixture().client.configuration.locale)
        #expect(locale.range(of: "^[A-Za-z0-9-]+$", options: .regularExpression) != nil)
    }

    @Test("storage that is full during a registration is an event; the registration works")
    func storageFull() async throws {
        let fixture = Fixture()
        let recorder = await Recorder(fixture.client)
        try await fixture.loginCopilot()
        fixture.storage.fill()
        #expect(try await fixture.client.registerPush(Fixture.push) == .registered)
        #expect(
            await recorder.all.contains {
                if case .error(.storage, _) = $0 { true } else { false }
            }
        )
    }
}
