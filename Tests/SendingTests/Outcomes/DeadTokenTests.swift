import GatewayModel
import GatewayStorage
import Logging
import PushSimulator
import TestSupport
import Testing

@Suite("A device is removed only for its current token", .timeLimit(.minutes(10)))
struct DeadTokenTests {
    private static let device = Device.ios("phone", token: "bad0")

    /// Registers the device after ten minutes, and makes the provider reject a push to it later.
    private func refuse(
        _ device: Device,
        at fixture: SendingFixture,
        with action: (_ registered: Timestamp) -> RuleAction
    ) async throws -> (record: OutcomeRecord, left: DeviceRegistration?) {
        fixture.clock.advance(seconds: 600)
        try await fixture.register(device)
        let registered = try #require(try await fixture.registration(of: device))
        #expect(registered.registeredAt == fixture.clock.now)
        fixture.clock.advance(seconds: 600)
        fixture.simulator.setRules([
            SimulatorRule(match: .init(tokenPrefix: device.token), action: action(registered.registeredAt))
        ])
        try await fixture.post(to: [device])
        let record = try await fixture.outcomes(of: registered.id, count: 1)[0]
        return (record, try await fixture.registration(of: device))
    }

    @Test(
        "Apple's time is in milliseconds, and a device that registered after it stays",
        arguments: [(-1, false), (0, true), (1, true), (-600_000, false), (600_000, true)] as [(Int64, Bool)]
    )
    func appleTime(milliseconds: Int64, isDropped: Bool) async throws {
        try await SendingFixture.run { fixture in
            let (record, left) = try await refuse(Self.device, at: fixture) { registered in
                RuleAction(status: 410, reason: "Unregistered", timestamp: registered.milliseconds + milliseconds)
            }
            #expect(record.disposition == .finished(.failed, nil))
            #expect((left == nil) == isDropped)
            if !isDropped { #expect(left?.state == .active) }
        }
    }

    @Test("seconds instead of milliseconds are long before any registration")
    func secondsForMilliseconds() async throws {
        try await SendingFixture.run { fixture in
            let (_, left) = try await refuse(Self.device, at: fixture) { registered in
                RuleAction(status: 410, reason: "Unregistered", timestamp: registered.milliseconds / 1000)
            }
            #expect(left?.state == .active)
        }
    }

    @Test(
        "without a time, the time of sending counts",
        arguments: [#"{"reason":"Unregistered"}"#, #"{"reason":"Unregistered","timestamp":null}"#, ""]
    )
    func noTime(body: String) async throws {
        try await SendingFixture.run { fixture in
            let (_, left) = try await refuse(Self.device, at: fixture) { _ in
                RuleAction(status: 410, body: Array(body.utf8))
            }
            #expect(left == nil)
        }
    }

    /// Responses that invalidate a token, of both providers.
    private static let endings: [(Device, RuleAction)] = [
        (.ios("phone", token: "bad0"), RuleAction(status: 410, reason: "Unregistered")),
        (.ios("phone", token: "bad0"), RuleAction(status: 400, reason: "BadDeviceToken")),
        (.ios("phone", token: "bad0"), RuleAction(status: 400, reason: "DeviceTokenNotForTopic")),
        (.android("phone", token: "bad0"), RuleAction(status: 404, reason: "UNREGISTERED")),
        (.android("phone", token: "bad0"), RuleAction(status: 403, reason: "SENDER_ID_MISMATCH")),
    ]

    @Test("a token replaced while its push was in flight does not affect the new one", arguments: 0..<endings.count)
    func replacedMeanwhile(index: Int) async throws {
        let (device, ending) = Self.endings[index]
        try await SendingFixture.run { fixture in
            try await fixture.register(device)
            let registration = try #require(try await fixture.registration(of: device)).id
            var slow = ending
            slow.delayMilliseconds = 3000
            fixture.simulator.setRules([SimulatorRule(match: .init(tokenPrefix: "bad0"), action: slow)])
            try await fixture.post(to: [device])
            _ = try await fixture.simulator.waitForPush { $0.token == "bad0" }
            try await fixture.register(device, token: "beef")
            let records = try await fixture.outcomes(of: registration, count: 2)
            #expect(records[0].response?.status == ending.status)
            #expect(records[0].token == .none)
            #expect(records[1].disposition == .finished(.accepted, nil))
            let left = try await fixture.registration(of: device)
            #expect(left?.id == registration)
            #expect(left?.token == "beef")
            #expect(left?.state == .active)
            #expect(fixture.simulator.pushes.map(\.token) == ["bad0", "beef"])
            #expect(try await fixture.deliveries(to: device).map(\.state) == [.accepted])
        }
    }

    @Test("a device that registered the same token again while the push was in flight stays")
    func registeredAgainMeanwhile() async throws {
        try await SendingFixture.run { fixture in
            try await fixture.register(Self.device)
            let before = try #require(try await fixture.registration(of: Self.device))
            let dead = RuleAction(
                status: 410,
                reason: "Unregistered",
                timestamp: fixture.clock.now.milliseconds,
                delayMilliseconds: 3000
            )
            fixture.simulator.setRules([SimulatorRule(match: .init(tokenPrefix: "bad0"), action: dead)])
            try await fixture.post(to: [Self.device])
            _ = try await fixture.simulator.waitForPush { $0.token == "bad0" }
            fixture.clock.advance(seconds: 1)
            try await fixture.register(Self.device)
            _ = try await fixture.outcomes(of: before.id, count: 1)
            let left = try await fixture.registration(of: Self.device)
            #expect(left?.state == .active)
            #expect(left?.registeredAt == before.registeredAt.adding(seconds: 1))
        }
    }

    @Test("a registration that ended while its push was in flight is not restored, and its successor stays")
    func movedMeanwhile() async throws {
        try await SendingFixture.run { fixture in
            try await fixture.register(Self.device)
            let registration = try #require(try await fixture.registration(of: Self.device)).id
            fixture.simulator.setRules([
                SimulatorRule(
                    match: .init(tokenPrefix: "bad0"),
                    action: RuleAction(status: 400, reason: "BadDeviceToken", delayMilliseconds: 3000)
                )
            ])
            try await fixture.post(to: [Self.device])
            _ = try await fixture.simulator.waitForPush { $0.token == "bad0" }
            var moved = Self.device
            moved.owner = "somebody-else"
            try await fixture.register(moved)
            _ = try await fixture.outcomes(of: registration, count: 1)
            let left = try await fixture.registration(of: moved)
            #expect(left?.state == .active)
            #expect(left?.consumer == moved.consumer)
            #expect(left?.id != registration)
        }
    }

    @Test("twenty rejected tokens in a row stop the lane with an alarm, and no further device is lost")
    func manyQuarantined() async throws {
        try await SendingFixture.run { fixture in
            let devices = (0..<25).map { Device.ios("phone\($0)", token: "bad0\(10 + $0)") }
            for device in devices { try await fixture.register(device) }
            fixture.simulator.setRules([
                SimulatorRule(
                    match: .init(tokenPrefix: "bad0"),
                    action: RuleAction(status: 400, reason: "DeviceTokenNotForTopic")
                )
            ])
            // One after the other: pushes in flight when the lane stops still get responses.
            try await fixture.post(to: Array(devices.prefix(20)))
            await fixture.store.outcomes.wait { $0.count { $0.response != nil } == 20 }
            await fixture.logs.wait { $0.contains { $0.level == .error } }
            let calls = fixture.logs.all.filter { $0.level == .error }
            #expect(calls.count == 1)
            #expect(calls.first?.metadata["count"] == "20")
            #expect(calls.first?.metadata["provider.reason"] == "DeviceTokenNotForTopic")
            #expect(fixture.metric(OutcomeCase.openBreakers + #"{provider="apns"}"#) == 1)
            try await fixture.post(to: Array(devices.suffix(5)))
            #expect(fixture.simulator.pushes.count == 20)
            // The app's environment was corrected: one push probes it, and the others follow.
            fixture.simulator.setRules([])
            try await fixture.advance(seconds: 30)
            for device in devices.suffix(5) {
                let records = try await fixture.outcomes(of: device, count: 1)
                #expect(records.map(\.disposition) == [.finished(.accepted, nil)])
            }
            #expect(fixture.metric(OutcomeCase.openBreakers + #"{provider="apns"}"#) == 0)
        }
    }
}
