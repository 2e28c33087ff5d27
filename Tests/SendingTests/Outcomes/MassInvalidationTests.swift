import Delivery
import GatewayModel
import GatewayStorage
import Logging
import PushSimulator
import TestSupport
import Testing

@Suite("A provider that reports every device as unregistered causes no loss", .timeLimit(.minutes(10)))
struct MassInvalidationTests {
    private static let devices = (0..<80).map { Device.ios("phone\($0)", token: "bad0\(1000 + $0)") }
    private static let suspendedLanes = #"switchboard_delivery_suspended_lanes{provider="apns"}"#
    private static let gone = SimulatorRule(
        match: .init(tokenPrefix: "bad0"),
        action: RuleAction(status: 410, reason: "Unregistered")
    )

    private func left(_ fixture: SendingFixture) async throws -> Int {
        var count = 0
        for device in Self.devices where try await fixture.registration(of: device) != nil { count += 1 }
        return count
    }

    @Test("the lane is suspended with an alarm, and all devices and pushes are restored when the provider recovers")
    func allAreBack() async throws {
        try await SendingFixture.run { fixture in
            for device in Self.devices { try await fixture.register(device) }
            fixture.clock.advance(seconds: 10)
            fixture.simulator.setRules([Self.gone])
            try await fixture.post(to: Array(Self.devices.prefix(60)))
            await fixture.logs.wait { $0.contains { $0.level == .error } }
            let calls = fixture.logs.all.filter { $0.level == .error }
            #expect(calls.count == 1)
            #expect(calls.first?.metadata["devices"] == "80")
            #expect(fixture.metric(Self.suspendedLanes) == 1)
            #expect(fixture.metric(#"switchboard_delivery_lane_suspensions_total{provider="apns"}"#) == 1)
            // It lasts longer than the delay before unregistered devices are removed.
            for _ in 0..<8 { try await fixture.advance(seconds: 60) }
            #expect(fixture.metric(Self.suspendedLanes) == 1)
            fixture.simulator.setRules([])
            try await fixture.post(to: Array(Self.devices.suffix(20)))
            while fixture.simulator.pushes.count(where: { $0.status == 200 }) < 80 {
                try await fixture.advance(seconds: 1)
            }
            #expect(fixture.metric(Self.suspendedLanes) == 0)
            for device in Self.devices {
                let registration = try #require(try await fixture.registration(of: device))
                #expect(registration.state == .active)
                await fixture.store.outcomes.wait {
                    $0.contains { $0.registration == registration.id && $0.disposition == .finished(.accepted, nil) }
                }
                #expect(try await fixture.deliveries(to: device).map(\.state) == [.accepted])
            }
            try await fixture.advance(seconds: 600)
            #expect(try await left(fixture) == 80)
        }
    }

    @Test("a few unregistered devices get no more pushes at once, and their registrations end five minutes later")
    func few() async throws {
        try await SendingFixture.run { fixture in
            let devices = Array(Self.devices.prefix(3))
            for device in devices { try await fixture.register(device) }
            fixture.clock.advance(seconds: 10)
            fixture.simulator.setRules([Self.gone])
            var ids: [RegistrationID] = []
            for device in devices { ids.append(try #require(try await fixture.registration(of: device)).id) }
            try await fixture.post(to: devices)
            for (device, id) in zip(devices, ids) {
                _ = try await fixture.outcomes(of: id, count: 1)
                #expect(try await fixture.registration(of: device) == nil)
                #expect(try await fixture.deliveries(to: device).map(\.state) == [.failed])
            }
            fixture.simulator.setRules([])
            try await fixture.post(to: devices)
            try await fixture.advance(seconds: 300)
            try await fixture.advance(seconds: 1)
            #expect(fixture.simulator.pushes.count == 3)
            #expect(fixture.metric(Self.suspendedLanes) == 0)
            try await fixture.register(devices[0])
            #expect(try await fixture.registration(of: devices[0])?.id != ids[0])
        }
    }
}
