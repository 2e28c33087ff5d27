import GatewayModel
import GatewayStorage
import Logging
import PushSimulator
import Testing

@Suite("Access tokens of FCM with a provider that counts them", .timeLimit(.minutes(10)))
struct AccessTokenTests {
    /// Devices of two apps with one service account.
    private static let devices = (0..<40).map { number in
        Device.android("phone\(number)", token: "a0\(number + 10)", app: number.isMultiple(of: 2) ? "one" : "two")
    }

    private static func apps(_ simulator: PushSimulator) throws -> [String: AppSettings] {
        ["one": Apps.android(simulator), "two": Apps.android(simulator)]
    }

    private static func grants(_ fixture: SendingFixture) -> Int {
        fixture.simulator.statistics.requests(to: .oauth)
    }

    /// One push on each lane, so that both have a connection and share a token.
    private func begin(_ fixture: SendingFixture) async throws {
        for device in Self.devices { try await fixture.register(device) }
        try await fixture.post(to: Array(Self.devices.prefix(2)))
        await fixture.store.outcomes.wait { $0.count { $0.response?.status == 200 } == 2 }
        #expect(Self.grants(fixture) == 1)
    }

    @Test("many pushes in flight with a token that Google rejects: one new token, and each is sent once more")
    func expired() async throws {
        try await SendingFixture.run(apps: Self.apps) { fixture in
            try await begin(fixture)
            try await fixture.advance(seconds: 24 * 60)
            fixture.providerClock.setAhead(seconds: 37 * 60)
            try await fixture.post(to: Self.devices)
            await fixture.store.outcomes.wait { $0.count { $0.response?.status == 200 } == 42 }
            #expect(Self.grants(fixture) == 2)
            #expect(Set(fixture.simulator.pushes.map { $0.header("authorization") }).count == 2)
            #expect(fixture.simulator.statistics.count(.refused) >= 2)
            for device in Self.devices {
                #expect(fixture.pushes(to: device).count { $0.status == 401 } <= 1)
                #expect(try await fixture.deliveries(to: device).allSatisfy { $0.state == .accepted })
            }
            #expect(fixture.logs.all.allSatisfy { $0.level < .error })
        }
    }

    @Test("when the new token is rejected too, no third is fetched, and the lanes stop")
    func refusedAgain() async throws {
        try await SendingFixture.run(apps: Self.apps) { fixture in
            try await begin(fixture)
            fixture.simulator.setRules([
                SimulatorRule(match: .init(provider: .fcm), action: RuleAction(status: 401, reason: "UNAUTHENTICATED"))
            ])
            try await fixture.post(to: Self.devices)
            await fixture.logs.wait { $0.count { $0.level == .error } == 2 }
            #expect(Self.grants(fixture) == 2)
            for device in Self.devices { #expect(fixture.pushes(to: device).count { $0.status == 401 } <= 2) }
            fixture.simulator.setRules([])
            try await fixture.advance(seconds: 30)
            await fixture.store.outcomes.wait { $0.count { $0.response?.status == 200 } == 42 }
            #expect(Self.grants(fixture) == 2)
        }
    }

    @Test("while the token endpoint is down the old token is used; without one, pushes wait and none is lost")
    func endpointDown() async throws {
        try await SendingFixture.run(apps: Self.apps) { fixture in
            try await begin(fixture)
            let device = Self.devices[0]
            let down = SimulatorRule(match: .init(provider: .oauth), action: RuleAction(status: 503))
            fixture.simulator.setRules([down])
            // Due for renewal, and still valid.
            try await fixture.advance(seconds: 3400)
            try await fixture.post(to: [device])
            let second = try await fixture.outcomes(of: device, count: 2)[1]
            #expect(second.disposition == .finished(.accepted, nil))
            #expect(Set(fixture.pushes(to: device).map { $0.header("authorization") }).count == 1)
            // Expired: nothing may be sent with it.
            try await fixture.advance(seconds: 300)
            let before = fixture.simulator.statistics.requests(to: .oauth)
            try await fixture.post(to: Self.devices)
            while fixture.simulator.statistics.requests(to: .oauth) < before + 3 { await Task.yield() }
            #expect(fixture.simulator.statistics.requests(to: .fcm) == 3)
            fixture.simulator.setRules([])
            await fixture.store.outcomes.wait { $0.count { $0.response?.status == 200 } == 43 }
            #expect(fixture.simulator.statistics.requests(to: .fcm) == 43)
            #expect(fixture.simulator.statistics.count(.accepted, of: .oauth) == 2)
        }
    }
}
