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

    private func left(_ site: SendingSite) async throws -> Int {
        var count = 0
        for device in Self.devices where try await site.registration(of: device) != nil { count += 1 }
        return count
    }

    @Test("the lane is suspended with an alarm, and all devices and pushes are restored when the provider recovers")
    func allAreBack() async throws {
        try await SendingSite.run { site in
            for device in Self.devices { try await site.register(device) }
            site.clock.advance(seconds: 10)
            site.simulator.setRules([Self.gone])
            try await site.post(to: Array(Self.devices.prefix(60)))
            await site.logs.wait { $0.contains { $0.level == .error } }
            let calls = site.logs.all.filter { $0.level == .error }
            #expect(calls.count == 1)
            #expect(calls.first?.metadata["devices"] == "80")
            #expect(site.metric(Self.suspendedLanes) == 1)
            #expect(site.metric(#"switchboard_delivery_lane_suspensions_total{provider="apns"}"#) == 1)
            // It lasts longer than the delay before unregistered devices are removed.
            for _ in 0..<8 { try await site.advance(seconds: 60) }
            #expect(site.metric(Self.suspendedLanes) == 1)
            site.simulator.setRules([])
            try await site.post(to: Array(Self.devices.suffix(20)))
            while site.simulator.pushes.count(where: { $0.status == 200 }) < 80 { try await site.advance(seconds: 1) }
            #expect(site.metric(Self.suspendedLanes) == 0)
            for device in Self.devices {
                let registration = try #require(try await site.registration(of: device))
                #expect(registration.state == .active)
                await site.store.outcomes.wait {
                    $0.contains { $0.registration == registration.id && $0.disposition == .finished(.accepted, nil) }
                }
                #expect(try await site.deliveries(to: device).map(\.state) == [.accepted])
            }
            try await site.advance(seconds: 600)
            #expect(try await left(site) == 80)
        }
    }

    @Test("a few unregistered devices get no more pushes at once, and their registrations end five minutes later")
    func few() async throws {
        try await SendingSite.run { site in
            let devices = Array(Self.devices.prefix(3))
            for device in devices { try await site.register(device) }
            site.clock.advance(seconds: 10)
            site.simulator.setRules([Self.gone])
            var ids: [RegistrationID] = []
            for device in devices { ids.append(try #require(try await site.registration(of: device)).id) }
            try await site.post(to: devices)
            for (device, id) in zip(devices, ids) {
                _ = try await site.outcomes(of: id, count: 1)
                #expect(try await site.registration(of: device) == nil)
                #expect(try await site.deliveries(to: device).map(\.state) == [.failed])
            }
            site.simulator.setRules([])
            try await site.post(to: devices)
            try await site.advance(seconds: 300)
            try await site.advance(seconds: 1)
            #expect(site.simulator.pushes.count == 3)
            #expect(site.metric(Self.suspendedLanes) == 0)
            try await site.register(devices[0])
            #expect(try await site.registration(of: devices[0])?.id != ids[0])
        }
    }
}
