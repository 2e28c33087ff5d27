import Cryptography
import Delivery
import GatewayModel
import GatewayStorage
import Logging
import PushSimulator
import Testing

@Suite("A failing lane affects only itself and its slots", .timeLimit(.minutes(10)))
struct BulkheadTests {
    private static let slots = 8
    private static let sick = devices(of: "sick", "dead", .apns)
    private static let ios = devices(of: "ios", "a0", .apns)
    private static let android = devices(of: "android", "b0", .fcm)

    private static func devices(of app: String, _ prefix: String, _ pushType: PushType) -> [Device] {
        (0..<100).map { Device(name: "\(app)\($0)", app: app, pushType: pushType, token: "\(prefix)\(1000 + $0)") }
    }

    private static var settings: DeliverySettings {
        var settings = DeliverySettings()
        settings.slotsPerLane = slots
        // The shutdown does not wait for missing responses.
        settings.drainDeadlineSeconds = 0
        return settings
    }

    /// Returns a working app for each provider, and one with another key or host.
    private static func apps(
        key: P256.PrivateKey? = nil,
        port: Int? = nil
    ) -> (PushSimulator) throws -> [String: AppSettings] {
        { simulator in
            [
                "sick": Apps.ios(simulator, key: key, port: port), "ios": Apps.ios(simulator),
                "android": Apps.android(simulator),
            ]
        }
    }

    /// Posts to all three lanes in turn, and waits until all pushes of the two working ones have arrived.
    private func flood(_ fixture: SendingFixture, before: Int = 0) async throws {
        for device in Self.sick + Self.ios + Self.android { try await fixture.register(device) }
        for (sick, (ios, android)) in zip(Self.sick, zip(Self.ios, Self.android)) {
            try await fixture.post(to: [sick, ios, android])
            #expect(
                try #require(fixture.metric(#"switchboard_delivery_owned_rows{provider="apns"}"#)) <= 2 * Self.slots
            )
        }
        await fixture.store.outcomes.wait { $0.count { $0.disposition == .finished(.accepted, nil) } == 200 + before }
        for prefix in ["a0", "b0"] {
            let pushes = fixture.simulator.pushes.filter { $0.token?.hasPrefix(prefix) == true }
            #expect(pushes.count == 100)
            #expect(Set(pushes.map(\.token)).count == 100)
        }
        // The working APNs lane is empty by now, so only the failing one has deliveries in memory.
        #expect(try #require(fixture.metric(#"switchboard_delivery_owned_rows{provider="apns"}"#)) <= Self.slots)
        for device in Self.sick {
            let states = try await fixture.deliveries(to: device).map(\.state)
            #expect(states.count == 1 && states.allSatisfy { !$0.isFinished })
            #expect(try await fixture.registration(of: device)?.state == .active)
        }
    }

    /// Checks that pushes that waited on the failing lane are sent once it works.
    private func recover(_ fixture: SendingFixture, before: Int = 0, unanswered: Int = 0) async throws {
        fixture.set("sick", Apps.ios(fixture.simulator))
        // Pushes in flight at the old provider are requeued first, with unknown results.
        await fixture.store.outcomes.wait { $0.count { $0.response?.outcome == .unknown } == unanswered }
        try await fixture.advance(seconds: 40)
        await fixture.store.outcomes.wait { $0.count { $0.disposition == .finished(.accepted, nil) } == 300 + before }
        let accepted = fixture.simulator.pushes.filter { $0.token?.hasPrefix("dead1") == true && $0.status == 200 }
        #expect(accepted.count == 100)
        #expect(Set(accepted.map(\.token)).count == 100)
    }

    @Test("a provider that accepts connections and sends nothing")
    func blackHole() async throws {
        let hole = try await BlackHole.open()
        try await SendingFixture.run(apps: Self.apps(port: hole.port), settings: Self.settings) { fixture in
            try await flood(fixture)
            #expect(fixture.metric(#"switchboard_delivery_owned_rows{provider="apns"}"#) == Self.slots)
            #expect(fixture.metric(#"switchboard_delivery_in_flight_pushes{provider="apns"}"#) == 0)
            try await recover(fixture)
        }
        await hole.close()
    }

    @Test(
        "a provider that receives pushes and never responds, from the start or after a first response",
        arguments: [false, true]
    )
    func silent(isWarm: Bool) async throws {
        try await SendingFixture.run(apps: Self.apps(), settings: Self.settings) { fixture in
            if isWarm {
                let early = Device.ios("early", token: "dead00", app: "sick")
                try await fixture.register(early)
                try await fixture.post(to: [early])
                _ = try await fixture.outcomes(of: early, count: 1)
            }
            fixture.simulator.setRules([
                SimulatorRule(match: .init(tokenPrefix: "dead1"), action: RuleAction(isSilent: true))
            ])
            try await flood(fixture, before: isWarm ? 1 : 0)
            #expect(fixture.metric(#"switchboard_delivery_owned_rows{provider="apns"}"#) == Self.slots)
            // One at a time until the first response; then as many as there are slots.
            let unanswered = isWarm ? Self.slots : 1
            #expect(fixture.simulator.statistics.count(.unanswered) == unanswered)
            #expect(fixture.metric(#"switchboard_delivery_in_flight_pushes{provider="apns"}"#) == unanswered)
            fixture.simulator.setRules([])
            try await recover(fixture, before: isWarm ? 1 : 0, unanswered: unanswered)
        }
    }

    @Test("an app whose key was revoked: one rejection stops its lane with an alarm, and no device is lost")
    func revokedKey() async throws {
        let other = P256.PrivateKey()
        try await SendingFixture.run(apps: Self.apps(key: other), settings: Self.settings) { fixture in
            try await flood(fixture)
            let refused = fixture.simulator.pushes.filter { $0.status != 200 }
            #expect(refused.map(\.reason) == ["InvalidProviderToken"])
            #expect(fixture.metric(OutcomeCase.openBreakers + #"{provider="apns"}"#) == 1)
            #expect(fixture.metric(OutcomeCase.openBreakers + #"{provider="fcm"}"#) == 0)
            let calls = fixture.logs.all.filter { $0.level == .error }
            #expect(calls.map { $0.metadata["provider.reason"] } == ["InvalidProviderToken"])
            #expect(calls.first?.metadata["lane.name"] == "bank/sick/apns/production")
            try await recover(fixture)
            #expect(fixture.metric(OutcomeCase.openBreakers + #"{provider="apns"}"#) == 0)
        }
    }

    @Test("a device with 429: its own pushes are requeued after the rejected one, others are sent")
    func slowDevice() async throws {
        try await SendingFixture.run(settings: Self.settings) { fixture in
            let slow = Device.ios("slow", token: "dead")
            for device in [slow] + Self.ios { try await fixture.register(device) }
            let registration = try #require(try await fixture.registration(of: slow)).id
            fixture.simulator.setRules([
                SimulatorRule(
                    match: .init(tokenPrefix: "dead"),
                    action: RuleAction(status: 429, reason: "TooManyRequests")
                )
            ])
            for device in Self.ios { try await fixture.post(to: [slow, device]) }
            await fixture.store.outcomes.wait { $0.count { $0.disposition == .finished(.accepted, nil) } == 100 }
            #expect(fixture.pushes(to: slow).map(\.reason) == ["TooManyRequests"])
            #expect(fixture.metric(#"switchboard_delivery_owned_rows{provider="apns"}"#) == 0)
            #expect(try await fixture.deliveries(to: slow).count { !$0.state.isFinished } == 100)
            fixture.simulator.setRules([])
            try await fixture.advance(seconds: 6)
            let records = try await fixture.outcomes(of: registration, count: 101)
            #expect(
                records.map(\.disposition).dropFirst() == Array(repeating: .finished(.accepted, nil), count: 100)[...]
            )
            // In the order of posting.
            #expect(records.dropFirst().map(\.delivery) == records.dropFirst().map(\.delivery).sorted())
        }
    }
}
